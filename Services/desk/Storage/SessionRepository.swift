import DomainTime
import DoorstepAPI
import Foundation
import PostgresClient

/// The SQL of sessions, sign-in links and attempts; all times are wall time.
enum SessionRepository {
    // MARK: Sessions

    static func insert(_ session: Session, secretHash: [UInt8], on database: some PostgresExecutor) async throws {
        var token: SessionToken?
        var provider: ProviderProof?
        switch session.proof {
        case .token(let proof): token = proof
        case .provider(let proof): provider = proof
        }
        try await database.execute(
            """
            INSERT INTO sessions (secret_hash, subject, name, role, started_at, seen_at, expires_at,
                token_id, key_id, issued_at, issuer, provider_subject, provider_grant, checked_at, confirmed_at)
            VALUES (\(secretHash), \(session.user.subject), \(session.user.name), \(session.user.role.rawValue),
                \(session.startedAt), \(session.seenAt), \(session.expiresAt),
                \(token?.id), \(token?.keyID), \(token?.issuedAt), \(provider?.issuer), \(provider?.subject),
                \(provider?.sealedGrant), \(provider?.checkedAt), \(provider?.confirmedAt))
            """)
    }

    /// The session of a cookie, good or not; nil where there is none.
    static func session(secretHash: [UInt8], on database: some PostgresExecutor) async throws -> Session? {
        let row = try await database.query(
            """
            SELECT subject, name, role, started_at, seen_at, expires_at, token_id, key_id, issued_at, issuer,
                provider_subject, provider_grant, checked_at, confirmed_at
            FROM sessions WHERE secret_hash = \(secretHash) AND expires_at IS NOT NULL
            """
        ).first
        return try row.map(session)
    }

    /// The valid sessions of all people, newest first.
    static func sessions(at now: Date, limit: Int, on database: some PostgresExecutor) async throws -> [Session] {
        try await database.query(
            """
            SELECT subject, name, role, started_at, seen_at, expires_at, token_id, key_id, issued_at, issuer,
                provider_subject, provider_grant, checked_at, confirmed_at
            FROM sessions WHERE expires_at > \(now) AND seen_at > \(now.addingTimeInterval(-Session.idleTime))
                AND seen_at < \(now.addingTimeInterval(Session.idleTime))
            ORDER BY started_at DESC LIMIT \(limit)
            """
        ).map(session)
    }

    private static func session(_ row: PostgresRow) throws -> Session {
        let expiresAt: Date = try row.decode("expires_at")
        let subject: String = try row.decode("subject")
        let name: String = try row.decode("name")
        let proof: SessionProof
        if let issuer: String = try row.decode("issuer") {
            proof = .provider(
                ProviderProof(
                    issuer: issuer, subject: try row.decode("provider_subject"),
                    sealedGrant: try row.decode("provider_grant"), checkedAt: try row.decode("checked_at"),
                    confirmedAt: try row.decode("confirmed_at")))
        } else {
            proof = .token(
                SessionToken(
                    id: try row.decode("token_id"), keyID: try row.decode("key_id"),
                    issuedAt: try row.decode("issued_at"), expiresAt: expiresAt))
        }
        return Session(
            user: DeskUser(
                subject: subject, displayName: name == subject ? nil : DisplayName(rawValue: name), role: try role(row)),
            proof: proof, startedAt: try row.decode("started_at"), seenAt: try row.decode("seen_at"),
            expiresAt: expiresAt)
    }

    /// Claims the check of a session with the provider, so that only one process makes it.
    ///
    /// - Returns: the sealed grant; nil where another process has checked since `before`. A check of a later time than
    ///   now, beyond the replicas' difference, was made before the clock was set back, and is none.
    static func leaseCheck(
        secretHash: [UInt8], before: Date, at now: Date, on database: some PostgresExecutor
    ) async throws -> [UInt8]? {
        try await database.query(
            """
            UPDATE sessions SET checked_at = \(now)
            WHERE secret_hash = \(secretHash)
                AND (checked_at <= \(before)
                    OR checked_at > \(now.addingTimeInterval(DomainClock.replicaDifferenceMax)))
            RETURNING provider_grant
            """
        ).first?.decode("provider_grant")
    }

    /// Stores the grant for the next check, and the person's present claims.
    ///
    /// - Parameter user: nil where the provider returned no claims.
    static func keepCheck(
        secretHash: [UInt8], sealedGrant: [UInt8], user: DeskUser?, at now: Date, on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE sessions SET provider_grant = \(sealedGrant), name = COALESCE(\(user?.name), name),
                role = COALESCE(\(user?.role.rawValue), role),
                confirmed_at = CASE WHEN \(user != nil) THEN \(now) ELSE confirmed_at END
            WHERE secret_hash = \(secretHash)
            """)
    }

    static func noteSeen(secretHash: [UInt8], at now: Date, on database: some PostgresExecutor) async throws {
        try await database.execute("UPDATE sessions SET seen_at = \(now) WHERE secret_hash = \(secretHash)")
    }

    static func delete(secretHash: [UInt8], on database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM sessions WHERE secret_hash = \(secretHash)")
    }

    /// Deletes every session and link of a subject.
    ///
    /// - Returns: the hashes of the sessions' secrets.
    static func deleteAll(of subject: String, on database: some PostgresExecutor) async throws -> [[UInt8]] {
        try await database.execute("DELETE FROM sign_in_links WHERE subject = \(subject)")
        return try await database.query("DELETE FROM sessions WHERE subject = \(subject) RETURNING secret_hash")
            .map { try $0.decode("secret_hash") }
    }

    // MARK: Links

    static func insertLink(
        secretHash: [UInt8], subject: String, role: OperatorScope, token: SessionToken, expiresAt: Date,
        on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO sign_in_links
                (secret_hash, subject, role, expires_at, token_id, key_id, issued_at, token_expires_at)
            VALUES (\(secretHash), \(subject), \(role.rawValue), \(expiresAt), \(token.id), \(token.keyID),
                \(token.issuedAt), \(token.expiresAt))
            """)
    }

    /// Redeems a link: returns its subject and deletes the link; nil for an invalid one.
    static func redeemLink(
        secretHash: [UInt8], at now: Date, on database: some PostgresExecutor
    ) async throws -> (subject: String, role: OperatorScope, token: SessionToken)? {
        let row = try await database.query(
            """
            DELETE FROM sign_in_links
            WHERE secret_hash = \(secretHash) AND expires_at > \(now) AND token_expires_at IS NOT NULL
            RETURNING subject, role, token_id, key_id, issued_at, token_expires_at
            """
        ).first
        return try row.map { row in
            let token = SessionToken(
                id: try row.decode("token_id"), keyID: try row.decode("key_id"),
                issuedAt: try row.decode("issued_at"), expiresAt: try row.decode("token_expires_at"))
            return (try row.decode("subject"), try role(row), token)
        }
    }

    // MARK: Sign-ins at a provider

    /// A sign-in that is under way.
    struct Attempt: Hashable, Sendable {
        let nonce: String
        let verifier: String
        let returnPath: String
    }

    static func insert(
        _ attempt: Attempt, stateHash: [UInt8], browserHash: [UInt8], expiresAt: Date,
        on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO sign_in_attempts (state_hash, browser_hash, nonce, verifier, return_path, expires_at)
            VALUES (\(stateHash), \(browserHash), \(attempt.nonce), \(attempt.verifier), \(attempt.returnPath),
                \(expiresAt))
            """)
    }

    /// Redeems the attempt of a state in the browser that began it; an attempt can be redeemed once.
    static func redeemAttempt(
        stateHash: [UInt8], browserHash: [UInt8], at now: Date, on database: some PostgresExecutor
    ) async throws -> Attempt? {
        let row = try await database.query(
            """
            DELETE FROM sign_in_attempts
            WHERE state_hash = \(stateHash) AND browser_hash = \(browserHash) AND expires_at > \(now)
            RETURNING nonce, verifier, return_path
            """
        ).first
        return try row.map {
            Attempt(
                nonce: try $0.decode("nonce"), verifier: try $0.decode("verifier"),
                returnPath: try $0.decode("return_path"))
        }
    }

    // MARK: Retention

    /// Deletes expired sessions, links and attempts.
    static func deleteExpired(at now: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        let sessions = try await pool.delete(
            from: "sessions",
            where: "seen_at < \(now.addingTimeInterval(-Session.idleTime)) OR expires_at <= \(now)",
            inBatchesOf: rowsMax)
        try await pool.batch([
            "DELETE FROM sign_in_links WHERE expires_at < \(now)",
            "DELETE FROM sign_in_attempts WHERE expires_at < \(now)",
        ])
        return sessions
    }

    private static func role(_ row: PostgresRow) throws -> OperatorScope {
        OperatorScope(rawValue: try row.decode("role")) ?? .viewer
    }
}
