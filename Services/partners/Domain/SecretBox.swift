import Crypto
import Foundation

/// Encrypts secrets of providers and of endpoints, so that the database alone does not reveal them.
///
/// AES-256-GCM with the owner's name as authenticated data, so that a row copied to another owner cannot be decrypted.
struct SecretBox: Sendable {
    private let keys: [UInt8: SymmetricKey]
    private let encrypting: UInt8

    /// - Parameters:
    ///   - keys: 32 bytes each; every one decrypts.
    ///   - encrypting: the id of the key that encrypts; nil where none is in use.
    /// - Throws: ``SecretKeyError``.
    init(keys: [UInt8: [UInt8]], encrypting: UInt8?) throws(SecretKeyError) {
        guard !keys.isEmpty else { throw .noKeys }
        guard let encrypting, keys[encrypting] != nil else { throw .noneInUse }
        if let short = keys.first(where: { $0.value.count != Self.keyBytes })?.key { throw .wrongLength(short) }
        self.encrypting = encrypting
        self.keys = keys.mapValues { SymmetricKey(data: $0) }
    }

    private static let keyBytes = 32

    /// - Parameter owner: the secret's owner; the same text opens it.
    func seal(_ secret: String, of owner: String) throws -> [UInt8] {
        guard let key = keys[encrypting] else { preconditionFailure("the encrypting key is one of the keys") }
        let box = try AES.GCM.seal(Data(secret.utf8), using: key, authenticating: Data(owner.utf8))
        guard let combined = box.combined else { preconditionFailure("a nonce of 12 bytes has a combined form") }
        return [encrypting] + combined
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
    /// Every key waits to encrypt, or encrypts no more.
    case noneInUse
    /// The key of this id has not 32 bytes.
    case wrongLength(UInt8)
    /// The sealed secret's key is missing.
    case unknownKey
}
