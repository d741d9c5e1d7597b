internal import Crypto

/// Encrypts a message so that the subscribed browser alone can read it, and not the push service.
///
/// - Source: RFC 8291.
enum MessageEncryption {
    /// The body of a request to the push service.
    /// - Parameters:
    ///   - key: made for this message alone.
    ///   - salt: 16 random bytes.
    static func encrypt(
        _ plaintext: [UInt8], for subscription: WebPushSubscription, key: P256.KeyAgreement.PrivateKey, salt: [UInt8]
    ) throws -> [UInt8] {
        let browser = try P256.KeyAgreement.PublicKey(x963Representation: subscription.p256dh)
        let sender = Array(key.publicKey.x963Representation)
        let inputKey = try key.sharedSecretFromKeyAgreement(with: browser).hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: subscription.auth,
            sharedInfo: Array("WebPush: info\0".utf8) + subscription.p256dh + sender, outputByteCount: 32)
        return try ContentEncoding.encode(plaintext, inputKey: inputKey, salt: salt, keyID: sender)
    }

    /// Encrypts with a key and a salt from the system's source of randomness.
    static func encrypt(_ plaintext: [UInt8], for subscription: WebPushSubscription) throws -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let salt = (0..<ContentEncoding.saltBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
        return try encrypt(plaintext, for: subscription, key: P256.KeyAgreement.PrivateKey(), salt: salt)
    }
}
