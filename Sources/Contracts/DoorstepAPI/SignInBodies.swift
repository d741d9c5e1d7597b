public import Foundation

/// The answer of `POST /v1/sign-in-links` of the desk: an address that signs in once.
public struct SignInLinkBody: Codable, Sendable {
    /// A secret: its first opener is signed in.
    public let url: String
    public let lifetimeSeconds: Int

    public init(url: String, lifetimeSeconds: Int) {
        self.url = url
        self.lifetimeSeconds = lifetimeSeconds
    }
}

/// The answer of `GET /v1/sessions` of the desk.
public struct SessionsBody: Codable, Sendable {
    /// The valid sessions, newest first, at most 1,000.
    public let sessions: [SessionBody]

    public init(sessions: [SessionBody]) { self.sessions = sessions }
}

/// A signed-in browser of the desk; its times are wall time.
public struct SessionBody: Codable, Sendable {
    /// The subject recorded with each of the person's actions.
    public let subject: String
    /// The name shown on pages; the subject where the person has no display name.
    public let name: String
    public let role: OperatorScope
    public let startedAt: Date
    /// When it was last used, to the minute.
    public let seenAt: Date
    /// The session's end despite use.
    public let expiresAt: Date
    /// The `jti` of the token that it was begun with; nil where a provider was asked, or the token has none.
    public let tokenID: String?
    /// The identity provider; nil where a token was used.
    public let issuer: String?

    public init(
        subject: String, name: String, role: OperatorScope, startedAt: Date, seenAt: Date, expiresAt: Date,
        tokenID: String?, issuer: String?
    ) {
        self.subject = subject
        self.name = name
        self.role = role
        self.startedAt = startedAt
        self.seenAt = seenAt
        self.expiresAt = expiresAt
        self.tokenID = tokenID
        self.issuer = issuer
    }
}

/// The answer of `DELETE /v1/sessions` of the desk.
public struct EndedSessionsBody: Codable, Sendable {
    /// The number of ended sessions.
    public let ended: Int

    public init(ended: Int) { self.ended = ended }
}
