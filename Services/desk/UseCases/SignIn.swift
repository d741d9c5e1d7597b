import DomainTime
import DoorstepAPI
import Foundation
import PostgresClient
import ServiceRuntime

/// Begins and ends sessions, and finds a browser's session, which is checked against its original proof at each use.
struct SignIn: Sendable {
    /// Seconds for which a one-time sign-in link is valid: long enough to open it.
    static let linkLifetime: TimeInterval = 60

    let pool: PostgresPool
    /// The verifier, for revoked tokens.
    let tokens: TokenVerifier
    let confirmPerson: ConfirmPerson
    let wallNow: @Sendable () -> Date

    /// The secret of a link that signs a person in once, within a minute.
    ///
    /// - Parameter token: the token with which the session ends.
    func makeLink(for subject: String, role: OperatorScope, token: SessionToken) async throws -> Secret {
        let secret = Secret()
        try await SessionRepository.insertLink(
            secretHash: secret.hash, subject: subject, role: role, token: token,
            expiresAt: wallNow().addingTimeInterval(Self.linkLifetime), on: pool)
        return secret
    }

    /// - Returns: the new session's secret; nil where the link was redeemed before or has expired, or where the token
    ///   that made it is no longer valid.
    func redeem(_ link: Secret) async throws -> Secret? {
        try await pool.withTransaction { database in
            let now = wallNow()
            guard
                let (subject, role, token) = try await SessionRepository.redeemLink(
                    secretHash: link.hash, at: now, on: database)
            else { return nil }
            let session = Session(
                of: DeskUser(subject: subject, role: role), begunWith: token, at: now)
            guard session.isGood(at: now), !isRevoked(session) else { return nil }
            let secret = Secret()
            try await SessionRepository.insert(session, secretHash: secret.hash, on: database)
            return secret
        }
    }

    /// Begins a session of a person whose identity the provider has proven.
    func begin(for person: IdentityProvider.Person) async throws -> Secret {
        let now = wallNow()
        let secret = Secret()
        let proof = ProviderProof(
            issuer: person.issuer, subject: person.subject,
            sealedGrant: try person.grant.map { try secret.seal(JSONEncoder().encode($0)) }, checkedAt: now,
            confirmedAt: now)
        try await SessionRepository.insert(
            Session(of: person.user, begunBy: proof, until: person.expiresAt, at: now), secretHash: secret.hash,
            on: pool)
        return secret
    }

    /// The signed-in user of a request that a person causes; nil for an invalid or expired session.
    func user(of secret: Secret) async throws -> DeskUser? {
        guard let session = try await session(of: secret) else { return nil }
        let now = wallNow()
        if session.needsNoting(at: now) {
            try await SessionRepository.noteSeen(secretHash: secret.hash, at: now, on: pool)
        }
        return session.user
    }

    /// The signed-in user, without counting as a use: an open page alone does not prolong a session.
    func userWithoutUse(of secret: Secret) async throws -> DeskUser? { try await session(of: secret)?.user }

    func end(_ secret: Secret) async throws { try await SessionRepository.delete(secretHash: secret.hash, on: pool) }

    /// The session of a secret while the session and its credential are valid.
    private func session(of secret: Secret) async throws -> Session? {
        let now = wallNow()
        guard let session = try await SessionRepository.session(secretHash: secret.hash, on: pool),
            session.isGood(at: now), !isRevoked(session)
        else { return nil }
        return try await confirmPerson(session, of: secret, at: now)
    }

    /// Whether the token that a session was begun with was revoked, or every token of its person's from before it began.
    ///
    /// A session that began before the clock was set back counts as one of before a revocation.
    private func isRevoked(_ session: Session) -> Bool {
        var token: SessionToken?
        if case .token(let proof) = session.proof { token = proof }
        let isAhead = session.startedAt > wallNow().addingTimeInterval(DomainClock.replicaDifferenceMax)
        var identity = Identity(
            subject: session.user.subject, role: .operator, tokenID: token?.id,
            issuedAt: token.map(\.issuedAt) ?? (isAhead ? nil : session.startedAt), expiresAt: session.expiresAt)
        identity.keyID = token?.keyID
        return tokens.isRevoked(identity)
    }
}

extension SessionToken {
    /// The stored part of the token with which a link was requested.
    init(_ identity: Identity) {
        self.init(
            id: identity.tokenID, keyID: identity.keyID, issuedAt: identity.issuedAt, expiresAt: identity.expiresAt)
    }
}
