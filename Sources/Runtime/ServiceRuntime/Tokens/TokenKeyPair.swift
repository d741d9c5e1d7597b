internal import JWTKit

/// A fresh P-256 key, as the two texts that go into files.
package struct TokenKeyPair: Sendable {
    package let kid: String
    /// For the one who issues tokens; a file only its owner may read.
    package let privateKeyPEM: String
    /// For everyone who checks them.
    package let publicKeyPEM: String

    /// Makes a key from the system's randomness.
    package static func generate(kid: String) -> TokenKeyPair {
        let key = ES256PrivateKey()
        return TokenKeyPair(
            kid: kid, privateKeyPEM: key.pemRepresentation, publicKeyPEM: key.publicKey.pemRepresentation)
    }

    /// What `auth.keys.file` lists for this key.
    package func entry(roles: [Role]) -> TokenKeys.Entry {
        TokenKeys.Entry(kid: kid, roles: roles, publicKey: publicKeyPEM)
    }
}
