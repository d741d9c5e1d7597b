import Foundation
import OrderDomain
import PostgresClient

/// The SQL of order numbers that pages were given.
enum ReferenceAttempts {
    /// Counts an attempt, before it is compared: many at once are counted one by one.
    ///
    /// - Returns: until when none is taken, where there were as many as may be; nothing is written then.
    static func count(
        _ order: OrderID, attemptsMax: Int, windowSeconds: TimeInterval, at now: Date,
        on database: some PostgresExecutor
    ) async throws -> Date? {
        let begin = now.addingTimeInterval(-windowSeconds)
        let counted = try await database.execute(
            """
            INSERT INTO reference_attempts AS known (order_id, attempts, window_began_at)
            VALUES (\(order.rawValue), 1, \(now))
            ON CONFLICT (order_id) DO UPDATE SET
                attempts = CASE WHEN known.window_began_at > \(begin) THEN known.attempts + 1 ELSE 1 END,
                window_began_at = CASE WHEN known.window_began_at > \(begin) THEN known.window_began_at ELSE \(now) END
            WHERE known.attempts < \(attemptsMax) OR known.window_began_at <= \(begin)
            """)
        guard counted == 0 else { return nil }
        let rows = try await database.query(
            "SELECT window_began_at FROM reference_attempts WHERE order_id = \(order.rawValue)")
        return try rows.first?.decode("window_began_at", as: Date.self).addingTimeInterval(windowSeconds)
    }

    /// Forgets an order's attempts.
    static func forget(_ order: OrderID, on database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM reference_attempts WHERE order_id = \(order.rawValue)")
    }
}
