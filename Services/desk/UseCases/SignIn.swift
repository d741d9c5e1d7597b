import DoorstepAPI
import Foundation
import PostgresClient

/// Begins and ends sessions, and finds the one of a browser.
struct SignIn: Sendable {
    /// How long a link that signs in once is good: as long as it takes to open it.
    static let linkLifetime: TimeInterval = 60

    let pool: PostgresPool
    let wallNow: @Sendable () -> Date

    /// A link's secret that signs somebody in once, within a minute.
    func makeLink(for subject: String, role: OperatorScope) async throws -> Secret {
        let secret = Secret()
        try await SessionRepository.insertLink(
            secretHash: secret.hash, subject: subject, role: role,
            expiresAt: wallNow().addingTimeInterval(Self.linkLifetime), on: pool)
        return secret
    }

    /// - Returns: the new session's secret; nil where the link was used before, or its minute is over.
    func take(_ link: Secret) async throws -> Secret? {
        try await pool.withTransaction { database in
            guard
                let (subject, role) = try await SessionRepository.takeLink(
                    secretHash: link.hash, at: wallNow(), on: database)
            else { return nil }
            return try await begin(for: DeskUser(subject: subject, name: subject, role: role), on: database)
        }
    }

    /// Begins a session of somebody who has been proven to be that.
    func begin(for user: DeskUser) async throws -> Secret { try await begin(for: user, on: pool) }

    private func begin(for user: DeskUser, on database: some PostgresExecutor) async throws -> Secret {
        let now = wallNow()
        let secret = Secret()
        try await SessionRepository.insert(
            Session(user: user, startedAt: now, seenAt: now), secretHash: secret.hash, on: database)
        return secret
    }

    /// Who is signed in; nil where nobody is, or not any more.
    func user(of secret: Secret) async throws -> DeskUser? {
        let now = wallNow()
        guard let session = try await SessionRepository.session(secretHash: secret.hash, on: pool),
            session.isGood(at: now)
        else { return nil }
        if session.needsNoting(at: now) {
            try await SessionRepository.noteSeen(secretHash: secret.hash, at: now, on: pool)
        }
        return session.user
    }

    /// The same without counting as a use: an open page alone keeps nobody signed in.
    func userWithoutUse(of secret: Secret) async throws -> DeskUser? {
        let session = try await SessionRepository.session(secretHash: secret.hash, on: pool)
        return session.flatMap { $0.isGood(at: wallNow()) ? $0.user : nil }
    }

    func end(_ secret: Secret) async throws { try await SessionRepository.delete(secretHash: secret.hash, on: pool) }
}
