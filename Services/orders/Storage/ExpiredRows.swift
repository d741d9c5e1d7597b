import BackgroundWork
import Foundation
import Logging
import PostgresClient

/// Deletes rows past their retention.
enum ExpiredRows {
    /// Rows of a transaction.
    static let rowsMax = 5_000
    /// Orders deleted per transaction, each with some dozens of dependent rows.
    static let ordersMax = 200

    /// - Parameters:
    ///   - now: domain time, which ends have. Rows without one are kept for people and auditors, and expire by wall time.
    ///   - imaged: the deliveries whose images are deleted already: the same of all runs of a process.
    ///   - logger: nil where the numbers of deleted rows are not to be logged.
    static func delete(
        on pool: PostgresPool, at now: Date, keeping times: RetentionTimes = .init(),
        imaged: EndedDeliveries = EndedDeliveries(), logger: Logger? = nil
    ) async throws {
        var steps = RetentionSteps()
        try await steps.run("pins") {
            try await pool.execute(inBatchesOf: rowsMax, PINRepository.deleteEnded(rowsMax: rowsMax))
        }
        try await steps.run("images") {
            try await imaged.change(
                endedBefore: since(times.imagesDays, now), on: pool, ProofImageRepository.deletionOfPage)
        }
        for (name, statement) in rows(at: now, times) {
            try await steps.run(name) { try await pool.execute(inBatchesOf: rowsMax, statement) }
        }
        try await steps.run("orders") {
            try await pool.execute(inBatchesOf: ordersMax, orders(before: since(times.ordersDays, now)))
        }
        for statement in couriers(before: since(times.couriersDays, now)) {
            try await steps.run("couriers") { try await pool.execute(inBatchesOf: rowsMax, statement) }
        }
        try await steps.run("exports") { try await ExportRepository.deleteExpired(on: pool, at: now) }
        try steps.finish(logger: logger)
    }

    /// Descriptions of couriers without a delivery of the shop, or of the describing store, for the retention time, and
    /// the numbers of such couriers' links.
    ///
    /// Before 0.33 numbers counted from 1, and the age of such a link is unknown: its number stays until a revocation,
    /// which sets a second, or until the courier's erasure.
    private static func couriers(before start: Date) -> [SQL] {
        func isUnnamed(_ table: SQL) -> SQL {
            """
            NOT EXISTS (
                SELECT FROM deliveries WHERE deliveries.courier_id = \(sql: table).courier_id
                    AND (ended_at IS NULL OR ended_at >= \(start))
            """
        }
        func isUnused(_ table: SQL) -> SQL {
            "coalesce(described_at, '-infinity') < \(start) AND \(sql: isUnnamed(table))"
        }
        return [
            """
            DELETE FROM couriers WHERE courier_id IN (
                SELECT courier_id FROM couriers WHERE \(sql: isUnused("couriers"))) LIMIT \(rowsMax))
            """,
            """
            DELETE FROM store_couriers WHERE (store_id, courier_id) IN (
                SELECT store_id, courier_id FROM store_couriers
                WHERE \(sql: isUnused("store_couriers")) AND deliveries.store_id = store_couriers.store_id)
                LIMIT \(rowsMax))
            """,
            // A number is the second of the first link or of a revocation; the next link has a later one.
            """
            DELETE FROM courier_links WHERE courier_id IN (
                SELECT courier_id FROM courier_links
                WHERE number >= 1000000000 AND number < \(Int(start.timeIntervalSince1970))::bigint
                    AND \(sql: isUnnamed("courier_links")))
                LIMIT \(rowsMax))
            """,
        ]
    }

    private static func since(_ days: Int, _ now: Date) -> Date {
        now.addingTimeInterval(-Double(days) * 86_400)
    }

    private static func rows(at now: Date, _ times: RetentionTimes) -> KeyValuePairs<String, SQL> {
        [
            "answers": """
            DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM idempotency_keys
                WHERE created_at < now() - make_interval(days => \(times.answersDays)::integer)
                LIMIT \(rowsMax)))
            """,
            "guesses": """
            DELETE FROM reference_guesses WHERE guesser IN (
                SELECT guesser FROM reference_guesses
                WHERE window_began_at < \(now.addingTimeInterval(-ReferenceAttempts.windowSeconds))
                    AND (guesser NOT LIKE 'order/%'
                        OR window_began_at < \(now.addingTimeInterval(-ReferenceAttempts.orderWindowSeconds)))
                LIMIT \(rowsMax))
            """,
            "presses": """
            DELETE FROM link_presses WHERE link_hash IN (
                SELECT link_hash FROM link_presses
                WHERE pressed_at < now() - make_interval(days => \(times.timelineDays)::integer)
                    AND NOT \(sql: isRecent("link_presses", since(times.timelineDays, now))) LIMIT \(rowsMax))
            """,
            "timeline": """
            DELETE FROM timeline WHERE timeline_id IN (
                SELECT timeline_id FROM timeline
                WHERE recorded_at < now() - make_interval(days => \(times.timelineDays)::integer)
                    AND NOT \(sql: isRecent("timeline", since(times.timelineDays, now))) LIMIT \(rowsMax))
            """,
            "drop_offs": """
            UPDATE deliveries SET drop_off = NULL WHERE delivery_id IN (
                SELECT delivery_id FROM deliveries
                WHERE drop_off IS NOT NULL AND ended_at < \(since(times.dropOffDays, now)) LIMIT \(rowsMax))
            """,
        ]
    }

    /// Rows of deliveries that are live, or have ended since: a press without its answer would be carried out again,
    /// and a provider's report without its entry too.
    private static func isRecent(_ table: SQL, _ start: Date) -> SQL {
        """
        EXISTS (SELECT FROM deliveries WHERE deliveries.delivery_id = \(sql: table).delivery_id
            AND (ended_at IS NULL OR ended_at >= \(start)))
        """
    }

    /// Orders whose deliveries have all ended, with everything of theirs: on a fast clock that is younger by wall time than
    /// the delivery is by its own.
    private static func orders(before start: Date) -> SQL {
        """
        WITH expired AS MATERIALIZED (
            SELECT order_id FROM orders
            WHERE coalesce(changed_at, placed_at) < \(start) AND NOT EXISTS (
                SELECT FROM deliveries WHERE deliveries.order_id = orders.order_id
                    AND (ended_at IS NULL OR ended_at >= \(start)))
            LIMIT \(ordersMax)
        ), gone AS MATERIALIZED (
            SELECT delivery_id FROM deliveries JOIN expired USING (order_id)
        ), without_timeline AS (
            DELETE FROM timeline USING gone WHERE timeline.delivery_id = gone.delivery_id
        ), without_presses AS (
            DELETE FROM link_presses USING gone WHERE link_presses.delivery_id = gone.delivery_id
        ), without_answers AS (
            DELETE FROM idempotency_keys USING expired WHERE idempotency_keys.order_id = expired.order_id
        ), without_deliveries AS (
            DELETE FROM deliveries USING gone WHERE deliveries.delivery_id = gone.delivery_id
        )
        DELETE FROM orders USING expired WHERE orders.order_id = expired.order_id
        """
    }
}
