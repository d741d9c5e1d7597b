import Foundation
import PostgresClient

/// The SQL of attempts at order numbers on pages.
enum ReferenceAttempts {
    /// Domain seconds from the first attempt that is counted to the last that is counted with it.
    static let windowSeconds: TimeInterval = 3_600

    /// Counts an attempt before its comparison, so that concurrent attempts all count.
    ///
    /// - Parameter guesser: the key of the count.
    /// - Returns: the end of the lock-out, where the limit was reached; the attempt is not counted then.
    static func count(
        _ guesser: String, attemptsMax: Int, at now: Date, on database: some PostgresExecutor
    ) async throws -> Date? {
        let begin = now.addingTimeInterval(-windowSeconds)
        let counted = try await database.execute(
            """
            INSERT INTO reference_guesses AS known (guesser, attempts, window_began_at)
            VALUES (\(guesser), 1, \(now))
            ON CONFLICT (guesser) DO UPDATE SET
                attempts = CASE WHEN known.window_began_at > \(begin) THEN known.attempts + 1 ELSE 1 END,
                window_began_at = CASE WHEN known.window_began_at > \(begin) THEN known.window_began_at ELSE \(now) END
            WHERE known.attempts < \(attemptsMax) OR known.window_began_at <= \(begin)
            """)
        guard counted == 0 else { return nil }
        let rows = try await database.query(
            "SELECT window_began_at FROM reference_guesses WHERE guesser = \(guesser)")
        return try rows.first?.decode("window_began_at", as: Date.self).addingTimeInterval(windowSeconds)
    }

    /// Deletes all attempts of a guesser.
    static func forget(_ guesser: String, on database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM reference_guesses WHERE guesser = \(guesser)")
    }

    /// Uncounts a correct attempt.
    static func uncount(_ guesser: String, on database: some PostgresExecutor) async throws {
        try await database.execute(
            "UPDATE reference_guesses SET attempts = attempts - 1 WHERE guesser = \(guesser) AND attempts > 0")
    }
}
