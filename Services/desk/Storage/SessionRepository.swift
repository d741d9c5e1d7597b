import DoorstepAPI
import Foundation
import PostgresClient

/// The SQL of sessions and of what leads to them; all times are wall time.
enum SessionRepository {
    // MARK: Sessions

    static func insert(_ session: Session, secretHash: [UInt8], on database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            INSERT INTO sessions (secret_hash, subject, name, role, started_at, seen_at)
            VALUES (\(secretHash), \(session.user.subject), \(session.user.name), \(session.user.role.rawValue),
                \(session.startedAt), \(session.seenAt))
            """)
    }

    /// The session of a cookie, good or not; nil where there is none.
    static func session(secretHash: [UInt8], on database: some PostgresExecutor) async throws -> Session? {
        let row = try await database.query(
            "SELECT subject, name, role, started_at, seen_at FROM sessions WHERE secret_hash = \(secretHash)"
        ).first
        return try row.map { row in
            Session(
                user: DeskUser(
                    subject: try row.decode("subject"), name: try row.decode("name"), role: try role(row)),
                startedAt: try row.decode("started_at"), seenAt: try row.decode("seen_at"))
        }
    }

    static func noteSeen(secretHash: [UInt8], at now: Date, on database: some PostgresExecutor) async throws {
        try await database.execute("UPDATE sessions SET seen_at = \(now) WHERE secret_hash = \(secretHash)")
    }

    static func delete(secretHash: [UInt8], on database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM sessions WHERE secret_hash = \(secretHash)")
    }

    // MARK: Links

    static func insertLink(
        secretHash: [UInt8], subject: String, role: OperatorScope, expiresAt: Date,
        on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO sign_in_links (secret_hash, subject, role, expires_at)
            VALUES (\(secretHash), \(subject), \(role.rawValue), \(expiresAt))
            """)
    }

    /// Whose a link is, which from then on is nobody's; nil for one that is not good.
    static func takeLink(
        secretHash: [UInt8], at now: Date, on database: some PostgresExecutor
    ) async throws -> (subject: String, role: OperatorScope)? {
        let row = try await database.query(
            """
            DELETE FROM sign_in_links WHERE secret_hash = \(secretHash) AND expires_at > \(now)
            RETURNING subject, role
            """
        ).first
        return try row.map { (try $0.decode("subject"), try role($0)) }
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

    /// The attempt of a state in the browser that began it; it can be taken once.
    static func takeAttempt(
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

    /// Deletes what is good no more.
    static func deleteExpired(at now: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        let sessions = try await pool.execute(
            inBatchesOf: rowsMax,
            """
            DELETE FROM sessions WHERE ctid = ANY(ARRAY(SELECT ctid FROM sessions
                WHERE seen_at < \(now.addingTimeInterval(-Session.idleTime)) LIMIT \(rowsMax)))
            """)
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
