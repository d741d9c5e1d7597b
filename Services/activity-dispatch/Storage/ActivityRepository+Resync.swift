import Foundation
import Messages
import PostgresClient
import ReliableMessaging
import WireCoding

/// Finds lacking wanted states, and makes devices due that no other event has made due.
extension ActivityRepository {
    /// The activities whose stored revision is older, that go stale soon without need, or that have another open
    /// episode of their delivery.
    static func lacking(
        _ revisions: [PublishedRevision], at now: Date, on database: some PostgresExecutor
    ) async throws -> [Int] {
        try await database.places(
            in: revisions,
            lacking: """
                LEFT JOIN activities AS known ON activity_id = id
                WHERE activity_id IS NULL
                    OR (known.is_ended, known.version, known.step) < (published.is_ended, published.version, published.step)
                    OR (known.is_ended, known.version, known.step) = (published.is_ended, published.version, published.step)
                        AND (known.store_id IS NULL OR published.is_prolonged AND \(sql: isProlongable(by: now))
                            OR EXISTS (
                                SELECT FROM activities AS other WHERE other.delivery_id = known.delivery_id
                                    AND other.activity_id <> known.activity_id AND NOT other.is_ended))
                """)
    }

    /// Why a card waits that only its phone, or a later state, can start; either makes the device due.
    private static let unmendable: [Decision.Reason] = [
        .switchedOff, .otherCustomer, .noStartToken, .oldSystem, .payloadTooLarge, .payloadUnreadable,
    ]

    /// Reasons of a card that waits for its time and lacks nothing; its device is due then.
    private static let inTime: [Decision.Reason] = [.notYet, .scheduled]

    /// The longest wait of a card on a screen in seconds: for its replacement.
    private static let longestWait: TimeInterval = 8 * 3_600

    /// Makes devices due whose open cards of these activities lack something, or that have no due time; it skips locked
    /// devices, which are being reconciled.
    ///
    /// An up-to-date device has a due time for changes by time alone. So most devices are only read, without a
    /// decision: a card that shows the newest revision, and is not to be prolonged, lacks nothing.
    static func makeDue(lacking activities: [String], at now: Date) -> SQL {
        let due = due(at: now)
        return """
            UPDATE devices SET due_at = \(now) WHERE device_id IN (
                SELECT device_id FROM devices WHERE device_id IN (
                    SELECT device_id FROM cards JOIN activities USING (activity_id) JOIN devices USING (device_id)
                    WHERE activity_id = ANY(\(activities)) AND \(sql: due))
                AND (due_at IS NULL OR due_at > \(now)) FOR NO KEY UPDATE SKIP LOCKED)
            """
    }

    /// Whether a card of `cards` lacks something of its activity and its device is not due.
    private static func due(at now: Date) -> SQL {
        """
        state IN ('waiting', 'starting', 'active', 'ended')
        AND NOT (state = 'waiting'
            AND (is_ended AND scheduled_at IS NULL OR coalesce(reason = ANY(\(unmendable.map(\.rawValue))), false)))
        AND (due_at IS NULL
            OR due_at > \(now.addingTimeInterval(longestWait)) AND state <> 'waiting'
            OR due_at > \(now) AND CASE state
                WHEN 'waiting' THEN is_ended OR coalesce(reason <> ALL(\(inTime.map(\.rawValue))), true)
                WHEN 'active' THEN is_ended OR must_end OR devices.customer_id <> activities.customer_id
                    OR (sent -> 'show' -> 'content' -> 'revision')
                        IS DISTINCT FROM (wanted -> 'show' -> 'content' -> 'revision')
                    OR (sent -> 'show' ->> 'staleAt')::bigint <= \(now.epochSeconds)
                    OR (sent -> 'show' ->> 'staleAt')::bigint <= \(now.epochSeconds + Activity.prolongedWithin)
                        AND (wanted -> 'show' ->> 'staleAt')::bigint > (sent -> 'show' ->> 'staleAt')::bigint
                WHEN 'ended' THEN NOT is_ended
                ELSE false END)
        """
    }

    /// Devices of one transaction of ``makeAllDue(at:on:)``.
    private static let devicesMax = 1_000

    /// Makes every device with an open card due, a bounded number of devices in each transaction; locked ones are skipped,
    /// since they are being reconciled.
    static func makeAllDue(at now: Date, on executor: some PostgresExecutor) async throws {
        var last: String? = ""
        while let after = last {
            // The page contains all devices, not only those to change, so that no row is read twice.
            let rows = try await executor.query(
                """
                WITH page AS MATERIALIZED (
                    SELECT device_id FROM devices WHERE device_id > \(after) ORDER BY device_id LIMIT \(devicesMax)),
                changed AS (
                    UPDATE devices SET due_at = \(now) WHERE device_id IN (
                        SELECT device_id FROM devices JOIN page USING (device_id)
                        WHERE (due_at IS NULL OR due_at > \(now)) AND EXISTS (
                            SELECT FROM cards WHERE cards.device_id = devices.device_id
                                AND state IN ('waiting', 'starting', 'active', 'ended'))
                        FOR NO KEY UPDATE OF devices SKIP LOCKED))
                SELECT max(device_id) AS last FROM page
                """)
            last = try rows.first?.decode("last", as: String?.self) ?? nil
            try Task.checkCancellation()
        }
    }
}
