import Foundation
import PostgresClient
import Synchronization

/// Reads the deliveries that ended before a time, each once in the life of the process, to delete what is kept for a
/// shorter time than the delivery.
///
/// No index has the deliveries with an image, and most ended ones have none any more: a statement that searched all of
/// them would meet the statement time-out. The position is in memory, so each process reads once what
/// ended before its start.
final class EndedDeliveries: Sendable {
    /// Deliveries of a transaction: an image of each is as large as hundreds of other rows.
    static let pageMax = 500

    private struct Position {
        /// As Postgres writes it, which is exact.
        var endedAt = "-infinity"
        var id = ""
    }

    private let last = Mutex(Position())

    /// Changes rows of the deliveries that ended before `end` and were not read before, page by page.
    ///
    /// - Parameter change: changes rows of the deliveries in `page`, a table with their `delivery_id`.
    /// - Returns: how many rows were changed.
    func change(endedBefore end: Date, on pool: PostgresPool, _ change: SQL) async throws -> Int {
        var total = 0
        while true {
            try Task.checkCancellation()
            let after = last.withLock { $0 }
            let rows = try await pool.query(
                """
                WITH page AS MATERIALIZED (
                    SELECT delivery_id, ended_at FROM deliveries
                    WHERE ended_at < \(end) AND (ended_at, delivery_id) > (\(after.endedAt)::timestamptz, \(after.id))
                    ORDER BY ended_at, delivery_id LIMIT \(Self.pageMax)
                ), changed AS (\(sql: change) RETURNING 1)
                SELECT page.ended_at::text AS ended_at, page.delivery_id, (SELECT count(*) FROM changed) AS changed
                FROM page ORDER BY page.ended_at DESC, page.delivery_id DESC LIMIT 1
                """)
            guard let row = rows.first else { return total }
            total += try row.decode("changed", as: Int.self)
            let read = Position(endedAt: try row.decode("ended_at"), id: try row.decode("delivery_id"))
            last.withLock { $0 = read }
        }
    }
}
