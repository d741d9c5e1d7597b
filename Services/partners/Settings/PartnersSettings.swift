import Configuration
import ProcessSettings
import TextCoding

extension SecretBox {
    /// Reads the keys that encrypt secrets.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `secrets.keys.file` | path of lines `id:hex`, 32 bytes each; the highest id in use encrypts, every one decrypts | required | its content |
    init(reading settings: ConfigReader) throws {
        try self.init(reading: settings, keysOf: "secrets.keys.file", rotation: "--secrets")
    }
}

extension Partners {
    static func allowsPrivate(reading settings: ConfigReader) throws -> Bool {
        let isAllowed = try settings.truth("webhooks.allowPrivate", default: false)
        guard isAllowed, try settings.deploymentEnvironment() == .production else { return isAllowed }
        throw ConfigurationError(
            key: "webhooks.allowPrivate", problem: "is true in production",
            fix: "leave it out: webhooks to private addresses are for tests, demos and a developer's own machine")
    }
}
