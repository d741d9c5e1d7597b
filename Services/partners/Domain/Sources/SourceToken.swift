import Crypto
import DoorstepAPI
import Foundation
import TextCoding

/// A token that a provider fetches with a secret, and sends with its webhooks.
///
/// It is signed by the secret that it was fetched with: once that secret is removed, so is the token.
enum SourceToken {
    /// The token's lifetime in seconds, wall time.
    static let lifetimeSeconds = 3_600

    static func make(for source: SourceID, secret: String, now: Date) -> String {
        let expiry = "\(Int(now.timeIntervalSince1970) + lifetimeSeconds)"
        return "\(expiry).\(Base64URL.encode(code(source, expiry, secret)))"
    }

    static func isGood(_ token: String, for source: Source, now: Date) -> Bool {
        let parts = token.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let expiry = Int(parts[0]), Double(expiry) > now.timeIntervalSince1970 else {
            return false
        }
        return source.texts.contains { secret in
            SecretText.isSame(String(parts[1]), as: Base64URL.encode(code(source.id, String(parts[0]), secret)))
        }
    }

    private static func code(
        _ source: SourceID, _ expiry: String, _ secret: String
    ) -> HashedAuthenticationCode<SHA256> {
        HMAC<SHA256>.authenticationCode(
            for: Data("token|\(source)|\(expiry)".utf8), using: SymmetricKey(data: Data(secret.utf8)))
    }
}

/// The comparison of secrets.
enum SecretText {
    /// Compares in constant time: the duration does not depend on the first differing character.
    static func isSame(_ one: String, as other: String) -> Bool {
        SHA256.hash(data: Data(one.utf8)) == SHA256.hash(data: Data(other.utf8))
    }
}
