package import Configuration
internal import Foundation
package import NatsClient
internal import ProcessSettings
internal import ReliableMessaging

extension NatsConfiguration {
    /// A process's connection to the broker.
    ///
    /// | Key | Type | Unit | Default | Secret |
    /// |---|---|---|---|---|
    /// | `nats.url` | URLs of one cluster, separated by commas; no password in production | | required | no |
    /// | `nats.user` | text | | none | no |
    /// | `nats.password.file` | path | | none | its content |
    /// | `nats.credentials.file` | path of a `.creds` file | | none | its content |
    /// | `nats.tls.ca.file` | path of a PEM file; turns TLS on | | none | no |
    /// | `nats.inbox` | prefix of the broker's answers | | `_INBOX_` and the user, else `_INBOX` | no |
    ///
    /// Other services' answers arrive below `answers` and the user; without a user, in the inbox.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(reading settings: ConfigReader) throws {
        let key = "nats.url"
        guard let servers = try settings.texts(key), !servers.isEmpty else {
            _ = try settings.requiredText(key, example: "nats://127.0.0.1:4222")
            throw ConfigurationError(key: key, problem: "names no server", fix: "correct \(waysToSet(key))")
        }
        for server in servers {
            guard let parts = URLComponents(string: server), ["nats", "tls"].contains(parts.scheme), parts.host != nil
            else {
                throw ConfigurationError(
                    key: key, problem: "has a URL that does not begin with nats:// or tls://",
                    fix: "correct \(waysToSet(key))")
            }
            if parts.password != nil, try !settings.deploymentEnvironment().allowsSamples {
                throw ConfigurationError(
                    key: key, problem: "holds a password",
                    fix: "put it into a file and set \(waysToSet("nats.password.file"))")
            }
        }
        self.init(servers: servers)
        user = try settings.text("nats.user")
        password = try settings.secret("nats.password.file")
        credentialsFile = try settings.text("nats.credentials.file")
        name = try settings.text("service.name") ?? name
        // Each user may subscribe below its own prefix only, so that none sees another's answers.
        inboxPrefix = try settings.text("nats.inbox") ?? user.map { "_INBOX_\($0)" }
        answersPrefix = user.map { "\(AnswerSubject.prefix).\($0)" }
        tlsCAFile = try settings.text("nats.tls.ca.file")
        drainTimeout = try settings.drainTimeout()
    }
}
