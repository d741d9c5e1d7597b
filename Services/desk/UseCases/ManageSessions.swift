import DoorstepAPI
import Foundation
import Logging
import PostgresClient

/// Lists everybody's sessions, and ends somebody's.
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

    /// Ends the sessions of somebody with their event streams, and withdraws their links.
    ///
    /// Streams of other replicas end when those look at their sessions next.
    /// - Returns: how many sessions.
    func end(of subject: String, by operatorSubject: String) async throws -> Int {
        let hashes = try await SessionRepository.deleteAll(of: subject, on: pool)
        for hash in hashes { streams.end(session: hash) }
        logger.notice(
            "An operator ended somebody's sessions",
            metadata: ["subject": "\(subject)", "by": "\(operatorSubject)", "sessions": "\(hashes.count)"])
        return hashes.count
    }
}
