import Foundation
import PostgresClient
import Synchronization

/// Deletes a table's rows that no other table needs, where no index finds them: all rows are read, page by page.
///
/// A table of one page is read in each run, and a larger one once in ``interval``.
final class UnusedRows: Sendable {
    /// Seconds between two readings of a larger table, the first of which begins with the process.
    static let interval: TimeInterval = 6 * 3_600

    private struct Reading {
        /// The key of the last row that was read; a run that failed is continued behind it.
        var last = ""
        var endedAt: Date?

        func isDue(at now: Date) -> Bool {
            // One in the future ended before the clock was set back.
            endedAt.map { !(0..<UnusedRows.interval).contains(now.timeIntervalSince($0)) } ?? true
        }
    }

    private let table: SQL
    private let key: SQL
    private let reading = Mutex(Reading())

    /// - Parameter key: the column of the primary key, a text.
    init(in table: SQL, by key: SQL) { (self.table, self.key) = (table, key) }

    /// Deletes the rows that meet the condition; one that is locked stays until the table is read again.
    ///
    /// - Parameter isUnused: names the table's columns with its name.
    /// - Returns: how many rows were deleted; 0 where the table need not be read yet.
    func delete(at now: Date, inPagesOf rowsMax: Int, where isUnused: SQL, on pool: PostgresPool) async throws -> Int {
        guard reading.withLock({ $0.isDue(at: now) }) else { return 0 }
        var (pages, deleted) = (0, 0)
        while true {
            try Task.checkCancellation()
            let after = reading.withLock { $0.last }
            let row = try await pool.query(
                """
                WITH page AS MATERIALIZED (
                    SELECT \(sql: key) FROM \(sql: table) WHERE \(sql: key) > \(after)
                    ORDER BY \(sql: key) LIMIT \(rowsMax)
                ), deleted AS (
                    DELETE FROM \(sql: table) WHERE \(sql: key) IN (
                        SELECT \(sql: key) FROM \(sql: table) JOIN page USING (\(sql: key))
                        WHERE \(sql: isUnused) FOR UPDATE OF \(sql: table) SKIP LOCKED)
                    RETURNING 1
                )
                SELECT (SELECT count(*) FROM deleted) AS deleted,
                    (SELECT max(\(sql: key)) FROM page HAVING count(*) = \(rowsMax)) AS next
                """)[0]
            pages += 1
            deleted += try row.decode("deleted", as: Int.self)
            if let next = try row.decode("next", as: String?.self) {
                reading.withLock { $0.last = next }
            } else {
                let endedAt = pages > 1 ? now : nil
                reading.withLock { $0 = Reading(endedAt: endedAt) }
                return deleted
            }
        }
    }
}
