import Foundation
import OrderDomain
import PostgresClient

/// The SQL of attempts at order numbers on pages, and of wrong PINs.
enum ReferenceAttempts {
    /// Domain seconds from the first attempt that is counted to the last that is counted with it.
    static let windowSeconds: TimeInterval = 3_600
    /// The same for attempts at an order from all addresses.
    static let orderWindowSeconds: TimeInterval = 86_400

    /// The key of the attempts at an order from all addresses.
    static func guesser(of order: OrderID) -> String { "order/\(order)" }

    enum Count: Hashable, Sendable {
        /// The attempts of the window, this one included.
        case counted(Int)
        /// The limit was reached, and the attempt is not counted.
        case lockedOut(until: Date)
    }

    /// Counts an attempt before its comparison, so that concurrent attempts all count.
    ///
    /// - Parameter guesser: the key of the count.
    static func count(
        _ guesser: String, attemptsMax: Int, windowSeconds: TimeInterval = ReferenceAttempts.windowSeconds,
        at now: Date, on database: some PostgresExecutor
    ) async throws -> Count {
        let begin = now.addingTimeInterval(-windowSeconds)
        let counted = try await database.query(
            """
            INSERT INTO reference_guesses AS known (guesser, attempts, window_began_at)
            VALUES (\(guesser), 1, \(now))
            ON CONFLICT (guesser) DO UPDATE SET
                attempts = CASE WHEN known.window_began_at > \(begin) THEN known.attempts + 1 ELSE 1 END,
                window_began_at = CASE WHEN known.window_began_at > \(begin) THEN known.window_began_at ELSE \(now) END
            WHERE known.attempts < \(attemptsMax) OR known.window_began_at <= \(begin)
            RETURNING attempts
            """)
        if let row = counted.first { return .counted(try row.decode("attempts", as: Int.self)) }
        let rows = try await database.query(
            "SELECT window_began_at FROM reference_guesses WHERE guesser = \(guesser)")
        let window = try rows.first?.decode("window_began_at", as: Date.self)
        // A correct attempt meanwhile has deleted the row.
        return .lockedOut(until: (window ?? begin).addingTimeInterval(windowSeconds))
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
