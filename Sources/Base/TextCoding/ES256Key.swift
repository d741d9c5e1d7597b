internal import Crypto
internal import Foundation

/// A private key of the curve P-256 that signs JSON Web Tokens (RFC 7518: r and s, 32 bytes each).
///
/// JWTKit's keys are an actor; signing under a lock keeps a second token from being signed. The tests of its users read
/// the tokens with JWTKit.
public struct ES256Key: Sendable {
    private let privateKey: P256.Signing.PrivateKey
    /// The public key in base64url, as an uncompressed point (X9.63).
    public let publicPoint: String

    /// - Throws: `PrivateKeyFault`, which never quotes the text.
    public init(pem: String) throws(PrivateKeyFault) {
        do {
            privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw PrivateKeyFault(pem: pem)
        }
        publicPoint = Base64URL.encode(privateKey.publicKey.x963Representation)
    }

    /// A token of a header and claims, both in JSON.
    ///
    /// - Throws: an error of the cryptographic library.
    public func sign(header: String, claims: String) throws -> String {
        let content = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        let signature = try privateKey.signature(for: Data(content.utf8))
        return "\(content).\(Base64URL.encode(signature.rawRepresentation))"
    }
}
