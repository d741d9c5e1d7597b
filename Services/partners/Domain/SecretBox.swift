import Crypto
import Foundation

/// Encrypts secrets of providers and of endpoints, so that the database alone does not reveal them.
///
/// AES-256-GCM with the owner's name as authenticated data, so that a row copied to another owner cannot be decrypted.
struct SecretBox: Sendable {
    private let keys: [UInt8: SymmetricKey]
    private let newest: UInt8

    /// - Parameters:
    ///   - keys: 32 bytes each; every one decrypts.
    ///   - encrypting: the id of the key that encrypts; nil for the highest.
    /// - Throws: ``SecretKeyError``.
    init(keys: [UInt8: [UInt8]], encrypting: UInt8? = nil) throws(SecretKeyError) {
        guard let newest = encrypting ?? keys.keys.max(), keys[newest] != nil else { throw .noKeys }
        if let short = keys.first(where: { $0.value.count != Self.keyBytes })?.key { throw .wrongLength(short) }
        self.newest = newest
        self.keys = keys.mapValues { SymmetricKey(data: $0) }
    }

    private static let keyBytes = 32

    /// - Parameter owner: the secret's owner; the same text opens it.
    func seal(_ secret: String, of owner: String) throws -> [UInt8] {
        guard let key = keys[newest] else { preconditionFailure("the newest key is one of the keys") }
        let box = try AES.GCM.seal(Data(secret.utf8), using: key, authenticating: Data(owner.utf8))
        guard let combined = box.combined else { preconditionFailure("a nonce of 12 bytes has a combined form") }
        return [newest] + combined
    }

    /// - Throws: where another service sealed it, or it is another owner's secret, or its key is missing.
    func open(_ sealed: [UInt8], of owner: String) throws -> String {
        guard let id = sealed.first, let key = keys[id] else { throw SecretKeyError.unknownKey }
        let box = try AES.GCM.SealedBox(combined: sealed.dropFirst())
        return String(decoding: try AES.GCM.open(box, using: key, authenticating: Data(owner.utf8)), as: UTF8.self)
    }
}

/// Why keys cannot be used; the error contains no key.
enum SecretKeyError: Error, Hashable {
    case noKeys
    /// The key of this id has not 32 bytes.
    case wrongLength(UInt8)
    /// The sealed secret's key is missing.
    case unknownKey
}
