internal import Crypto
internal import Foundation

/// Encrypts secrets, such as those of providers, customers' PINs and images of hand-overs, so that the database alone
/// does not reveal them.
///
/// AES-256-GCM with the owner's name as authenticated data, so that a row copied to another owner cannot be decrypted.
public struct SecretBox: Sendable {
    private let keys: [UInt8: SymmetricKey]
    private let encrypting: UInt8

    /// - Parameters:
    ///   - keys: 32 bytes each; every one decrypts.
    ///   - encrypting: the id of the key that encrypts; nil where none is in use.
    /// - Throws: ``SecretKeyError``.
    public init(keys: [UInt8: [UInt8]], encrypting: UInt8?) throws(SecretKeyError) {
        guard !keys.isEmpty else { throw .noKeys }
        guard let encrypting, keys[encrypting] != nil else { throw .noneInUse }
        if let short = keys.first(where: { $0.value.count != Self.keyBytes })?.key { throw .wrongLength(short) }
        self.encrypting = encrypting
        self.keys = keys.mapValues { SymmetricKey(data: $0) }
    }

    /// The id of the key that encrypts.
    public var keyID: UInt8 { encrypting }

    /// The ids of all keys.
    public var keyIDs: Set<UInt8> { Set(keys.keys) }

    private static let keyBytes = 32

    /// Encrypts a sealed secret again by the key that encrypts; nil where it is already, or its own key is missing.
    ///
    /// - Throws: an error of the cryptographic library.
    public func resealed(_ sealed: [UInt8], of owner: String) throws -> [UInt8]? {
        // A secret whose key is missing cannot be read, and so not encrypted again.
        guard sealed.first != encrypting, let secret = try? bytes(in: sealed, of: owner) else { return nil }
        return try seal(bytes: secret, of: owner)
    }

    /// - Parameter owner: the secret's owner; the same text opens it.
    /// - Throws: an error of the cryptographic library.
    public func seal(_ secret: String, of owner: String) throws -> [UInt8] {
        try seal(bytes: Array(secret.utf8), of: owner)
    }

    /// Encrypts bytes that are no text.
    ///
    /// - Throws: an error of the cryptographic library.
    public func seal(bytes: [UInt8], of owner: String) throws -> [UInt8] {
        try seal(bytes, of: owner, nonce: AES.GCM.Nonce())
    }

    /// Encrypts a secret so that the same one of the same owner is the same bytes while the key is the same, and who has
    /// the database alone learns no more than that.
    ///
    /// - Throws: an error of the cryptographic library.
    public func sealRepeatably(_ secret: String, of owner: String) throws -> [UInt8] {
        // The nonce differs wherever owner or secret do: the first bytes of a hash by a key that is made of the box's.
        let nonceKey = HMAC<SHA256>.authenticationCode(for: Data("nonce".utf8), using: encryptingKey)
        let hash = HMAC<SHA256>.authenticationCode(
            for: Data("\(owner)\u{0}\(secret)".utf8), using: SymmetricKey(data: nonceKey))
        return try seal(Array(secret.utf8), of: owner, nonce: AES.GCM.Nonce(data: Data(hash).prefix(12)))
    }

    private var encryptingKey: SymmetricKey {
        guard let key = keys[encrypting] else { preconditionFailure("the encrypting key is one of the keys") }
        return key
    }

    private func seal(_ bytes: [UInt8], of owner: String, nonce: AES.GCM.Nonce) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            Data(bytes), using: encryptingKey, nonce: nonce, authenticating: Data(owner.utf8))
        guard let combined = box.combined else { preconditionFailure("a nonce of 12 bytes has a combined form") }
        return [encrypting] + combined
    }

    /// - Throws: where another service sealed it, or it is another owner's secret, or its key is missing.
    public func open(_ sealed: [UInt8], of owner: String) throws -> String {
        String(decoding: try bytes(in: sealed, of: owner), as: UTF8.self)
    }

    /// The bytes that were encrypted.
    ///
    /// - Throws: as ``open(_:of:)``.
    public func bytes(in sealed: [UInt8], of owner: String) throws -> [UInt8] {
        guard let id = sealed.first, let key = keys[id] else { throw SecretKeyError.unknownKey }
        let box = try AES.GCM.SealedBox(combined: sealed.dropFirst())
        return Array(try AES.GCM.open(box, using: key, authenticating: Data(owner.utf8)))
    }
}

/// Why keys cannot be used; the error contains no key.
public enum SecretKeyError: Error, Hashable, Sendable {
    case noKeys
    /// Every key waits to encrypt, or encrypts no more.
    case noneInUse
    /// The key of this id has not 32 bytes.
    case wrongLength(UInt8)
    /// The sealed secret's key is missing.
    case unknownKey
}
