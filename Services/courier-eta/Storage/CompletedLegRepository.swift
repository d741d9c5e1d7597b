import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of completed legs and dwells, the training data that ended deliveries leave.
enum CompletedLegRepository {
    struct EndedDelivery {
        let id: DeliveryID
        /// Nil where the row cannot be read.
        let tracked: TrackedDelivery?
        let courierSince: Date?
    }

    /// Deliveries that ended before `date` and are not summarized, locked; rows that another process has locked are
    /// skipped.
    static func toSummarize(
        endedBefore date: Date, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> [EndedDelivery] {
        let rows = try await transaction.query(
            """
            SELECT delivery_id, courier_since, snapshot, tracking, step FROM deliveries
            WHERE ended_at < \(date) AND NOT is_summarized ORDER BY ended_at LIMIT \(rowsMax) FOR NO KEY UPDATE SKIP LOCKED
            """)
        return try rows.map { row in
            EndedDelivery(
                // The summary counts an undecodable delivery as `unreadable` and continues with the next.
                id: try row.decode("delivery_id"), tracked: try? DeliveryRepository.tracked(row),
                courierSince: try row.decode("courier_since"))
        }
    }

    static func insert(
        _ completed: CompletedDelivery, completedAt: Date, in transaction: PostgresTransaction
    ) async throws {
        if let leg = completed.leg {
            try await transaction.execute(
                """
                INSERT INTO completed_legs (completed_on, format, leg)
                VALUES ((\(completedAt)::timestamptz AT TIME ZONE 'UTC')::date, \(CompletedLeg.format),
                    \(PostgresJSON(leg)))
                """)
        }
        for dwell in completed.dwells {
            try await transaction.execute(
                """
                INSERT INTO completed_dwells (completed_on, kind, store_id, seconds)
                VALUES ((\(completedAt)::timestamptz AT TIME ZONE 'UTC')::date, \(dwell.kind.rawValue),
                    \(dwell.store), \(dwell.seconds))
                """)
        }
    }

    static func markSummarized(_ deliveries: [DeliveryID], in transaction: PostgresTransaction) async throws {
        try await transaction.execute(
            "UPDATE deliveries SET is_summarized = true WHERE delivery_id = ANY(\(deliveries.map(\.rawValue)))")
    }

    /// Deletes legs and dwells of days before `date`.
    ///
    /// - Returns: how many rows.
    static func delete(completedBefore date: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        let areOld: SQL = "completed_on < (\(date)::timestamptz AT TIME ZONE 'UTC')::date"
        let legs = try await pool.delete(from: "completed_legs", where: areOld, inBatchesOf: rowsMax)
        let dwells = try await pool.delete(from: "completed_dwells", where: areOld, inBatchesOf: rowsMax)
        return legs + dwells
    }
}
