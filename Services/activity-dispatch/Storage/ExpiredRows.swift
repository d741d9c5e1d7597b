import Foundation
import PostgresClient

/// The SQL of retention: deletes rows past their retention time.
enum ExpiredRows {
    /// Seconds of a day.
    private static let day: TimeInterval = 86_400

    /// Statements that delete at most `rowsMax` rows each; to be repeated until one deletes fewer.
    ///
    /// Rows that a later message renews are compared with the time once more after a wait, and may stay.
    static func deletions(
        at now: Date, keeping times: RetentionTimes, rowsMax: Int
    ) -> KeyValuePairs<String, SQL> {
        func since(_ days: Int) -> Date { now.addingTimeInterval(-Double(days) * day) }
        let subscribedBefore = since(min(times.subscriptionsDays, times.deviceEventsDays))
        return [
            "pushes": """
            DELETE FROM pushes WHERE push_id IN
                (SELECT push_id FROM pushes WHERE leased_at < \(since(times.pushesDays)) LIMIT \(rowsMax))
            """,
            "overrides": """
            DELETE FROM overrides WHERE override_id IN
                (SELECT override_id FROM overrides WHERE at < \(since(times.pushesDays)) LIMIT \(rowsMax))
            """,
            "device_events": """
            DELETE FROM device_events WHERE (device_id, card_id) IN
                (SELECT device_id, card_id FROM device_events WHERE dismissed_at < \(since(times.deviceEventsDays)) LIMIT \(rowsMax))
            """,
            // A card that was swiped away or lost, or that the system has ended, gets no end.
            "device_events_without_end": """
            DELETE FROM device_events WHERE card_id IN (
                SELECT card_id FROM device_events JOIN cards USING (card_id)
                WHERE device_events.dismissed_at IS NULL AND state NOT IN ('waiting', 'starting', 'active', 'ended')
                    AND greatest(cards.last_push_at, cards.dismissed_at) < \(since(times.deviceEventsDays))
                LIMIT \(rowsMax))
            """,
            "activities": """
            DELETE FROM activities WHERE activity_id IN
                (SELECT activity_id FROM activities WHERE is_ended AND ended_at < \(since(times.activitiesDays)) LIMIT \(rowsMax))
            """,
            "device_connections": """
            DELETE FROM device_connections WHERE seen_at < \(since(times.devicesDays)) AND device_id IN
                (SELECT device_id FROM device_connections WHERE seen_at < \(since(times.devicesDays)) LIMIT \(rowsMax))
            """,
            "alert_subscriptions": """
            DELETE FROM alert_subscriptions WHERE subscribed_at < \(subscribedBefore) AND (delivery_id, endpoint) IN (
                SELECT delivery_id, endpoint FROM alert_subscriptions AS known
                WHERE subscribed_at < \(since(times.subscriptionsDays)) AND NOT EXISTS (
                        SELECT FROM activities WHERE delivery_id = known.delivery_id AND NOT is_ended)
                    OR subscribed_at < \(since(times.deviceEventsDays))
                    AND EXISTS (SELECT FROM activities WHERE delivery_id = known.delivery_id AND ended_at < \(since(times.deviceEventsDays)))
                    AND NOT EXISTS (
                        SELECT FROM activities WHERE delivery_id = known.delivery_id
                            AND (ended_at IS NULL OR ended_at >= \(since(times.deviceEventsDays))))
                LIMIT \(rowsMax))
            """,
            "card_totals": """
            DELETE FROM card_totals WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM card_totals WHERE day < (\(since(times.totalsDays)) AT TIME ZONE 'UTC')::date LIMIT \(rowsMax)))
            """,
        ]
    }

    /// Deletes devices that were not registered lately, in small transactions, but for those with a card or a delivery.
    ///
    /// A statement of its own locks them, so that the deletion sees every card that was made before the lock.
    /// - Returns: how many devices were deleted.
    static func deleteDevices(
        at now: Date, keeping times: RetentionTimes, rowsMax: Int, on pool: PostgresPool
    ) async throws -> Int {
        let expired: SQL = """
            registered_at < \(now.addingTimeInterval(-Double(times.devicesDays) * day))
            AND NOT EXISTS (SELECT FROM cards WHERE cards.device_id = devices.device_id)
            AND NOT EXISTS (
                SELECT FROM activities WHERE activities.customer_id = devices.customer_id AND NOT is_ended)
            """
        var total = 0
        while true {
            let (found, deleted) = try await pool.withTransaction { transaction in
                let devices = try await transaction.query(
                    "SELECT device_id FROM devices WHERE \(sql: expired) LIMIT \(rowsMax) FOR NO KEY UPDATE SKIP LOCKED"
                ).map { try $0.decode("device_id", as: String.self) }
                let deleted = try await transaction.execute(
                    "DELETE FROM devices WHERE device_id = ANY(\(devices)) AND \(sql: expired)")
                return (devices.count, deleted)
            }
            total += deleted
            if found < rowsMax { return total }
            try Task.checkCancellation()
        }
    }

    /// Whether a row of `card_health` is of a delivery whose activities are deleted.
    static func isUnusedHealth(at now: Date, keeping times: RetentionTimes) -> SQL {
        """
        changed_at < \(now.addingTimeInterval(-Double(times.activitiesDays) * day))
            AND NOT EXISTS (SELECT FROM activities WHERE activities.delivery_id = card_health.delivery_id)
        """
    }

    /// Whether a customer has no device and no activity.
    static let isUnusedCustomer: SQL = """
        NOT EXISTS (SELECT FROM activities WHERE activities.customer_id = customers.customer_id)
            AND NOT EXISTS (SELECT FROM devices WHERE devices.customer_id = customers.customer_id)
        """
}
