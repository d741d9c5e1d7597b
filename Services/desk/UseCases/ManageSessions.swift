import Foundation
import Logging
import PostgresClient

/// Lists all sessions, and ends a person's.
struct ManageSessions: Sendable {
    /// Sessions that are listed: the newest.
    static let listedMax = 1_000

    let pool: PostgresPool
    let streams: PageStreams
    let wallNow: @Sendable () -> Date
    let logger: Logger

    func list() async throws -> [Session] {
        try await SessionRepository.sessions(at: wallNow(), limit: Self.listedMax, on: pool)
    }

    /// Ends a person's sessions with their event streams, and revokes their links.
    ///
    /// Other replicas end their streams at the next check of their sessions.
    /// - Returns: the number of sessions.
    func end(of subject: String, by operatorSubject: String) async throws -> Int {
        let hashes = try await SessionRepository.deleteAll(of: subject, on: pool)
        for hash in hashes { streams.end(session: hash) }
        logger.notice(
            "An operator ended a person's sessions",
            metadata: ["subject": "\(subject)", "by": "\(operatorSubject)", "sessions": "\(hashes.count)"])
        return hashes.count
    }
}
