import Foundation

/// The credential behind a session, with which the session ends.
enum SessionProof: Hashable, Sendable {
    case token(SessionToken)
    case provider(ProviderProof)
}

/// The stored part of a sign-in token: enough to check its revocation, and not to use the token.
struct SessionToken: Hashable, Sendable {
    /// The `jti` claim; nil where it has none.
    let id: String?
    /// The key that signed it; nil where none was verified.
    let keyID: String?
    /// The `iat` claim; nil where it has none.
    let issuedAt: Date?
    let expiresAt: Date
}

/// The stored part of a sign-in at an identity provider.
struct ProviderProof: Hashable, Sendable {
    /// Seconds between two confirmations with the provider.
    static let checkInterval: TimeInterval = 30
    /// Seconds for which a session is valid without confirmation, while the provider does not answer.
    static let confirmationLifetime: TimeInterval = 15 * 60

    let issuer: String
    /// The provider's own id of the person.
    let subject: String
    /// The sealed grant for confirmations, from ``Secret/seal(_:)``; nil where the provider offers none.
    let sealedGrant: [UInt8]?
    /// When the provider was last asked.
    let checkedAt: Date
    /// When it last confirmed the person.
    let confirmedAt: Date

    func needsCheck(at now: Date) -> Bool {
        sealedGrant != nil && !Session.isRecent(checkedAt, within: Self.checkInterval, at: now)
    }

    /// Whether the provider's confirmation is recent; a provider without later confirmations confirms once, and the
    /// session is short instead.
    func isConfirmed(at now: Date) -> Bool {
        sealedGrant == nil || Session.isRecent(confirmedAt, within: Self.confirmationLifetime, at: now)
    }
}
