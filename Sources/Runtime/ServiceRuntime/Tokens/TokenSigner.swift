internal import DoorstepAPI
package import Foundation
internal import JWTKit
internal import ProcessSettings

/// Issues tokens with one private key.
package struct TokenSigner: Sendable {
    /// The id that receivers find the public key by.
    package let kid: String
    private let collection: JWTKeyCollection

    /// - Parameters:
    ///   - kid: the key's id where the text does not name it.
    ///   - privateKeyPEM: the text of a ``SigningKeyFile``.
    /// - Throws: ``ConfigurationError`` when the text is no PEM of a P-256 private key; the text is not in it.
    package init(kid: String, privateKeyPEM: String) async throws {
        let file = SigningKeyFile(privateKeyPEM)
        let kid = file.kid ?? kid
        // A parser's error may quote the private key.
        guard let key = try? ES256PrivateKey(pem: file.pem.trimmingCharacters(in: .newlines)) else {
            throw ConfigurationError(
                key: "the signing key \"\(kid)\"", problem: "is no P-256 private key in PEM",
                fix: "make one with `doorstep admin keys --directory …`")
        }
        self.kid = kid
        collection = await JWTKeyCollection().add(ecdsa: key, kid: JWKIdentifier(string: kid))
    }

    /// Reads the private key from a file.
    ///
    /// - Throws: ``ConfigurationError`` when it cannot be read.
    package init(kid: String, file path: String) async throws {
        // The error names the file and its remedy, the same for a missing and a forbidden file.
        guard let pem = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ConfigurationError(
                key: "the signing key \"\(kid)\"", problem: "is not to be read from \(path)",
                fix: "check that the file exists and that this process may read it")
        }
        try await self.init(kid: kid, privateKeyPEM: pem)
    }

    /// A token for `identity`, good until its `expiresAt`; its times are whole seconds.
    ///
    /// - Parameter now: wall time; becomes `iat`.
    /// - Throws: a signing error of JWTKit.
    package func sign(_ identity: Identity, at now: Date) async throws -> String {
        let claims = TokenClaims(
            sub: identity.subject, role: identity.role,
            exp: identity.expiresAt.timeIntervalSince1970.rounded(.down),
            iat: now.timeIntervalSince1970.rounded(.down), jti: identity.tokenID, store: identity.store,
            delivery: identity.delivery, scope: identity.scope, name: identity.displayName?.rawValue)
        return try await collection.sign(claims, kid: JWKIdentifier(string: kid))
    }
}
