package import Configuration
package import TextCoding

extension SecretBox {
    /// Reads the keys that encrypt secrets: lines `id:hex`, 32 bytes each.
    ///
    /// - Parameters:
    ///   - key: ends in `.file`.
    ///   - rotation: the option of the command that rotates these keys.
    /// - Throws: ``ConfigurationError`` that names the key.
    package init(reading settings: ConfigReader, keysOf key: String, rotation: String) throws {
        let keys = try settings.numberedKeys(key)
        do {
            try self.init(keys: keys.bytes, encrypting: keys.signing)
        } catch {
            switch error {
            case .noKeys, .unknownKey:
                throw ConfigurationError(
                    key: key, problem: "holds no key", fix: "make one with: doorstep admin keys --directory …")
            case .noneInUse: throw ConfigurationError(noneInUse: key, rotation: rotation)
            case .wrongLength(let id):
                throw ConfigurationError(wrongLengthOf: id, in: key)
            }
        }
    }
}
