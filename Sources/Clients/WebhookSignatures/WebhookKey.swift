internal import Crypto
internal import Foundation

/// A key that signs and verifies webhooks, in the forms of Standard Webhooks: a shared secret (`whsec_…`), or half of
/// an ed25519 key pair (`whsk_…` signs, `whpk_…` verifies).
///
/// - Source: Standard Webhooks 1.0.0, "Webhook signatures".
public struct WebhookKey: Sendable {
    /// The legal lengths of a shared secret, in bytes.
    public static let secretBytes = 24...64

    enum Material: Sendable {
        case secret(SymmetricKey)
        case privateKey(Curve25519.Signing.PrivateKey)
        case publicKey(Curve25519.Signing.PublicKey)
    }

    let material: Material

    /// A new shared secret of 32 random bytes.
    public static func makeSecret() -> WebhookKey { WebhookKey(material: .secret(SymmetricKey(size: .bits256))) }

    /// A new ed25519 key that signs.
    public static func makePrivateKey() -> WebhookKey { WebhookKey(material: .privateKey(.init())) }

    init(material: Material) { self.material = material }

    /// Reads `whsec_`, `whsk_` or `whpk_` and standard base64 behind it; a text without a prefix is a shared secret.
    ///
    /// - Throws: ``WebhookKeyError``.
    public init(_ text: String) throws(WebhookKeyError) {
        func bytes(behind prefix: String) throws(WebhookKeyError) -> Data {
            guard let data = Data(base64Encoded: String(text.dropFirst(prefix.count))) else { throw .notBase64 }
            return data
        }
        if text.hasPrefix(Prefix.privateKey) {
            let data = try bytes(behind: Prefix.privateKey)
            // Some write the public half behind the seed.
            // Any 32 bytes are an ed25519 seed.
            guard data.count == 32 || data.count == 64,
                let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: data.prefix(32))
            else { throw .wrongLength(data.count) }
            material = .privateKey(key)
        } else if text.hasPrefix(Prefix.publicKey) {
            let data = try bytes(behind: Prefix.publicKey)
            // The parser of a public key detects a wrong length alone.
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: data) else {
                throw .wrongLength(data.count)
            }
            material = .publicKey(key)
        } else {
            let data = try bytes(behind: text.hasPrefix(Prefix.secret) ? Prefix.secret : "")
            guard Self.secretBytes.contains(data.count) else { throw .wrongLength(data.count) }
            material = .secret(SymmetricKey(data: data))
        }
    }

    /// The key as ``init(_:)`` reads it; a secret, but for a public key.
    public var text: String {
        switch material {
        case .secret(let key): Prefix.secret + key.withUnsafeBytes { Data($0) }.base64EncodedString()
        case .privateKey(let key): Prefix.privateKey + key.rawRepresentation.base64EncodedString()
        case .publicKey(let key): Prefix.publicKey + key.rawRepresentation.base64EncodedString()
        }
    }

    /// The receiver's key: the secret itself, or the public half.
    public var verifying: WebhookKey {
        switch material {
        case .secret, .publicKey: self
        case .privateKey(let key): WebhookKey(material: .publicKey(key.publicKey))
        }
    }

    private enum Prefix {
        static let secret = "whsec_"
        static let privateKey = "whsk_"
        static let publicKey = "whpk_"
    }
}

/// Why a text is not a key; the error never contains the text.
public enum WebhookKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case notBase64
    /// The key's length in bytes.
    case wrongLength(Int)

    public var description: String {
        switch self {
        case .notBase64: "it is not base64"
        case .wrongLength(let bytes): "a key of its kind does not have \(bytes) bytes"
        }
    }
}
