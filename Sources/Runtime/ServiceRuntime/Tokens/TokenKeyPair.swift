internal import JWTKit

/// A fresh P-256 key, as the two texts that go into files.
package struct TokenKeyPair: Sendable {
    package let kid: String
    /// The issuer's key, for a file that only its owner may read.
    package let privateKeyPEM: String
    /// The verifiers' key.
    package let publicKeyPEM: String

    /// Makes a key from the system's randomness.
    package static func generate(kid: String) -> TokenKeyPair {
        let key = ES256PrivateKey()
        return TokenKeyPair(
            kid: kid, privateKeyPEM: key.pemRepresentation, publicKeyPEM: key.publicKey.pemRepresentation)
    }

    /// The key's entry in `auth.keys.file`.
    package func entry(roles: [Role]) -> TokenKeys.Entry {
        TokenKeys.Entry(kid: kid, roles: roles, publicKey: publicKeyPEM)
    }
}
