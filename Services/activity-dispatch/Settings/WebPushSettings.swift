import Configuration
import ProcessSettings
import WebPushClient

/// The settings of alerts to browsers.
///
/// | Key | Type | Default | Secret |
/// |---|---|---|---|
/// | `web.push.key.file` | path of a PEM file with a private key of P-256 | none: browsers are not notified | its content |
/// | `web.push.contact` | `mailto:` address or `https://` URL for the operators of push services | required with a key | no |
/// | `web.push.hosts` | names of push services, or `*.` and a domain | those of the known browsers | no |
/// | `web.push.trust.roots.file` | path of a PEM file | the system's | no |
struct WebPushSettings: Sendable {
    let client: WebPushConfiguration
    let hosts: WebPushHosts

    private static let others = ["web.push.contact", "web.push.hosts", "web.push.trust.roots.file"]

    /// - Returns: nil where no key is set.
    /// - Throws: `ConfigurationError` that names the key.
    init?(reading settings: ConfigReader) throws {
        guard let pem = try settings.secret("web.push.key.file") else {
            try settings.refuse(Self.others, without: "web.push.key.file", fix: "the path of a PEM file")
            return nil
        }
        var client = WebPushConfiguration(
            key: try checked {
                try VAPIDKey(
                    pem: pem, source: try settings.requiredText("web.push.key.file", example: "web-push.pem"),
                    contact: try settings.requiredText("web.push.contact", example: "mailto:push@nordhavn.example"))
            })
        client.trustRootsFile = try settings.text("web.push.trust.roots.file")
        self.client = client
        let environment = try settings.deploymentEnvironment()
        let isTest = environment == .test
        let names = try settings.texts("web.push.hosts") ?? WebPushHosts.known
        if let other = names.first(where: { !WebPushHosts.isName($0) && !(isTest && $0 == "localhost") }) {
            throw ConfigurationError(
                key: "web.push.hosts", problem: "has \"\(other)\", which is no name of a host",
                fix: "write names such as fcm.googleapis.com, or *.notify.windows.com for every host below one")
        }
        hosts = WebPushHosts(names, allowsLoopback: isTest, allowsPorts: environment.allowsSamples)
    }
}
