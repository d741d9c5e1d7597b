import Foundation

/// What a session was begun with, and ends with.
enum SessionProof: Hashable, Sendable {
    case token(SessionToken)
    case provider(ProviderProof)
}

/// What is kept of the token that somebody signed in by: enough to see whether it was revoked, and not to use it.
struct SessionToken: Hashable, Sendable {
    /// The `jti` claim; nil where it has none.
    let id: String?
    /// The key that signed it; nil where none was verified.
    let keyID: String?
    /// The `iat` claim; nil where it has none.
    let issuedAt: Date?
    let expiresAt: Date
}

/// What is kept of a sign-in at an identity provider.
struct ProviderProof: Hashable, Sendable {
    /// The provider is asked again when it was asked so long ago.
    static let checkInterval: TimeInterval = 30
    /// How long a session is good without the provider's word, where the provider does not answer.
    static let confirmationLifetime: TimeInterval = 15 * 60

    let issuer: String
    /// The provider's own id of the person.
    let subject: String
    /// By what the provider is asked again, as ``Secret/seal(_:)`` encrypts it; nil where it gives no way to ask.
    let sealedGrant: [UInt8]?
    /// When the provider was last asked.
    let checkedAt: Date
    /// When it last confirmed the person.
    let confirmedAt: Date

    func needsCheck(at now: Date) -> Bool {
        sealedGrant != nil && now.timeIntervalSince(checkedAt) >= Self.checkInterval
    }

    /// Whether its word is new enough; one that cannot be asked gives it once, and the session is short instead.
    func isConfirmed(at now: Date) -> Bool {
        sealedGrant == nil || now.timeIntervalSince(confirmedAt) < Self.confirmationLifetime
    }
}
