public import Foundation

/// What `POST /v1/sign-in-links` of the desk answers: an address that signs in once.
public struct SignInLinkBody: Codable, Sendable {
    /// A secret: whoever opens it first is signed in.
    public let url: String
    public let lifetimeSeconds: Int

    public init(url: String, lifetimeSeconds: Int) {
        self.url = url
        self.lifetimeSeconds = lifetimeSeconds
    }
}

/// What `GET /v1/sessions` of the desk answers.
public struct SessionsBody: Codable, Sendable {
    /// Those that are good, the newest first, at most 1,000.
    public let sessions: [SessionBody]

    public init(sessions: [SessionBody]) { self.sessions = sessions }
}

/// A browser in which somebody is signed in at the desk; its times are wall time.
public struct SessionBody: Codable, Sendable {
    /// Whom what they do is put down to.
    public let subject: String
    /// What pages call them; the subject where they have no name of their own.
    public let name: String
    public let role: OperatorScope
    public let startedAt: Date
    /// When it was last used, to the minute.
    public let seenAt: Date
    /// Its end, however much it is used.
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

/// What `DELETE /v1/sessions` of the desk answers.
public struct EndedSessionsBody: Codable, Sendable {
    /// How many sessions.
    public let ended: Int

    public init(ended: Int) { self.ended = ended }
}
