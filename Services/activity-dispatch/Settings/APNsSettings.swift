import APNsClient
import Configuration
import ProcessSettings

/// The settings of pushes through Apple.
///
/// | Key | Type | Default | Secret |
/// |---|---|---|---|
/// | `apns.key.file` | path of a `.p8` file | none: devices cannot register for pushes through Apple | its content |
/// | `apns.key.id` | ten letters and digits | required with a key | no |
/// | `apns.team.id` | ten letters and digits | required with a key | no |
/// | `apns.bundle.id` | bundle id of the app, without a suffix | required with a key | no |
/// | `apns.trust.roots.file` | path of a PEM file | the system's | no |
/// | `apns.production.url` | `https://` address | Apple's | no |
/// | `apns.sandbox.url` | `https://` address | Apple's | no |
/// | `apns.connections` | whole number; connections to each of the two, opened when needed | 1 | no |
struct APNsSettings: Sendable {
    let client: APNsConfiguration
    let bundleID: BundleID

    private static let others = [
        "apns.key.id", "apns.team.id", "apns.bundle.id", "apns.trust.roots.file", "apns.production.url",
        "apns.sandbox.url", "apns.connections",
    ]

    /// - Returns: nil where no key is set.
    /// - Throws: `ConfigurationError` that names the key.
    init?(reading settings: ConfigReader) throws {
        guard let pem = try settings.secret("apns.key.file") else {
            try settings.refuse(Self.others, without: "apns.key.file", fix: "the path of the .p8 file")
            return nil
        }
        let source = try settings.requiredText("apns.key.file", example: "AuthKey_ABCDE12345.p8")
        let bundleText = try settings.requiredText("apns.bundle.id", example: "shop.nordhavn.app")
        do {
            bundleID = try BundleID(bundleText)
        } catch {
            throw ConfigurationError(
                key: "apns.bundle.id", problem: "\(error)", fix: "correct \(waysToSet("apns.bundle.id"))")
        }
        var client = APNsConfiguration(
            key: try checked {
                try ProviderKey(
                    pem: pem, source: source,
                    keyID: try settings.requiredText("apns.key.id", example: "ABCDE12345"),
                    teamID: try settings.requiredText("apns.team.id", example: "TEAM567890"))
            })
        client.trustRootsFile = try settings.text("apns.trust.roots.file")
        if let url = try settings.text("apns.production.url") { client.productionURL = url }
        if let url = try settings.text("apns.sandbox.url") { client.sandboxURL = url }
        client.connections = try settings.integer("apns.connections", in: 1...8, default: client.connections)
        self.client = client
    }
}
