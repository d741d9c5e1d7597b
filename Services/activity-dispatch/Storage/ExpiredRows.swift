import Foundation
import PostgresClient

/// The SQL of retention: deletes rows past their retention time.
enum ExpiredRows {
    /// Seconds of a day.
    private static let day: TimeInterval = 86_400
    /// Days that the ledger of pushes and overrides are kept.
    static let ledgerDays = 30.0
    /// Days that an ended activity is kept with its cards: the tombstone that late intents meet.
    static let activitiesDays = 14.0
    /// Days that a device without a card is kept, and its last connection.
    static let devicesDays = 90.0
    /// Days that a device's events are kept after the card's dismissal, and a browser's subscription after the end.
    static let eventsDays = 1.0
    /// Days that totals of cards are kept, which have no persons.
    static let totalsDays = 400.0
    /// Days that a browser's subscription is kept at most.
    static let subscriptionsDays = 30.0

    /// Statements that delete at most `rowsMax` rows each; to be repeated until one deletes fewer.
    ///
    /// | What | Kept |
    /// |---|---|
    /// | the ledger of pushes, overrides | 30 days |
    /// | ended activities with their cards: the tombstones that late intents meet | 14 days |
    /// | a device's events | until a day after the card's dismissal |
    /// | devices without a card, since their last registration | 90 days |
    /// | customers | until their last device and activity are deleted |
    /// | the last connections of devices | 90 days |
    /// | totals of cards | 400 days |
    /// | browsers that are notified | until a day after the end of the delivery's card, at most 30 days |
    static func deletions(at now: Date, rowsMax: Int) -> [SQL] {
        func since(_ days: Double) -> Date { now.addingTimeInterval(-days * day) }
        return [
            """
            DELETE FROM pushes WHERE push_id IN
                (SELECT push_id FROM pushes WHERE leased_at < \(since(ledgerDays)) LIMIT \(rowsMax))
            """,
            """
            DELETE FROM overrides WHERE override_id IN
                (SELECT override_id FROM overrides WHERE at < \(since(ledgerDays)) LIMIT \(rowsMax))
            """,
            """
            DELETE FROM device_events WHERE (device_id, card_id) IN
                (SELECT device_id, card_id FROM device_events WHERE dismissed_at < \(since(eventsDays)) LIMIT \(rowsMax))
            """,
            """
            DELETE FROM activities WHERE activity_id IN
                (SELECT activity_id FROM activities WHERE is_ended AND ended_at < \(since(activitiesDays)) LIMIT \(rowsMax))
            """,
            """
            DELETE FROM card_health WHERE delivery_id IN (
                SELECT delivery_id FROM card_health WHERE changed_at < \(since(activitiesDays)) AND NOT EXISTS
                    (SELECT FROM activities WHERE activities.delivery_id = card_health.delivery_id)
                LIMIT \(rowsMax))
            """,
            """
            DELETE FROM devices WHERE device_id IN (
                SELECT device_id FROM devices WHERE registered_at < \(since(devicesDays)) AND NOT EXISTS
                    (SELECT FROM cards WHERE cards.device_id = devices.device_id)
                LIMIT \(rowsMax))
            """,
            """
            DELETE FROM device_connections WHERE device_id IN
                (SELECT device_id FROM device_connections WHERE seen_at < \(since(devicesDays)) LIMIT \(rowsMax))
            """,
            """
            DELETE FROM alert_subscriptions WHERE (delivery_id, endpoint) IN (
                SELECT delivery_id, endpoint FROM alert_subscriptions AS known
                WHERE subscribed_at < \(since(subscriptionsDays)) OR subscribed_at < \(since(eventsDays))
                    AND EXISTS (SELECT FROM activities WHERE delivery_id = known.delivery_id AND ended_at < \(since(eventsDays)))
                    AND NOT EXISTS (
                        SELECT FROM activities WHERE delivery_id = known.delivery_id
                            AND (ended_at IS NULL OR ended_at >= \(since(eventsDays))))
                LIMIT \(rowsMax))
            """,
            """
            DELETE FROM card_totals WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM card_totals WHERE day < (\(since(totalsDays)) AT TIME ZONE 'UTC')::date LIMIT \(rowsMax)))
            """,
            """
            DELETE FROM customers WHERE customer_id IN (
                SELECT customer_id FROM customers
                WHERE NOT EXISTS (SELECT FROM activities WHERE activities.customer_id = customers.customer_id)
                    AND NOT EXISTS (SELECT FROM devices WHERE devices.customer_id = customers.customer_id)
                LIMIT \(rowsMax) FOR UPDATE SKIP LOCKED)
            """,
        ]
    }
}
