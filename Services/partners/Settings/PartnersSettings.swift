import Configuration
import ProcessSettings

extension SecretBox {
    /// Reads the keys that encrypt secrets.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `secrets.keys.file` | path of lines `id:hex`, 32 bytes each; the highest id in use encrypts, every one decrypts | required | its content |
    init(reading settings: ConfigReader) throws {
        let key = "secrets.keys.file"
        let keys = try settings.numberedKeys(key)
        do {
            try self.init(keys: keys.bytes, encrypting: keys.signing)
        } catch {
            switch error {
            case .noKeys, .unknownKey:
                throw ConfigurationError(
                    key: key, problem: "holds no key", fix: "make one with: doorstep admin keys --directory …")
            case .noneInUse: throw ConfigurationError(noneInUse: key, rotation: "--secrets")
            case .wrongLength(let id):
                throw ConfigurationError(
                    key: key, problem: "has key \(id) with another length than 32 bytes", fix: "make a new one")
            }
        }
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
