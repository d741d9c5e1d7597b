import Foundation
import LiveActivity
import OrderDomain
import PostgresClient
import WebPushClient
import WireCoding

/// The SQL of browsers that are notified of deliveries' alerts.
enum AlertSubscriptionRepository {
    /// Turns a subscription on: inserts or updates it, and deletes those beyond the limits of its proof and of the
    /// delivery: first those that are off, then the oldest.
    ///
    /// The subscription is due at once: an alert may have been raised since the delivery was read. A known subscription
    /// does not repeat its past alerts, and keeps its wait after a failure.
    /// - Parameter proof: the name of its reader's proof; nil where unknown.
    static func turnOn(
        _ subscription: AlertSubscription, proof: String?, at now: Date, on pool: PostgresPool
    ) async throws {
        let (delivery, browser) = (subscription.delivery, subscription.browser)
        let keys = browser.keyTexts
        _ = try await pool.batch([
            """
            INSERT INTO alert_subscriptions AS known
                (delivery_id, endpoint, p256dh, auth, locale, alerted_ids, is_on, subscribed_at, due_at, proof)
            VALUES (\(delivery), \(browser.endpoint), \(keys.p256dh), \(keys.auth), \(subscription.locale),
                \(PostgresJSON(subscription.alertedIDs)), true, \(now), \(now), \(proof))
            ON CONFLICT (delivery_id, endpoint) DO UPDATE SET p256dh = excluded.p256dh, auth = excluded.auth,
                locale = excluded.locale, is_on = true, subscribed_at = excluded.subscribed_at, proof = excluded.proof,
                alerted_ids = CASE WHEN known.is_on THEN known.alerted_ids
                    WHEN known.alerted_ids @> excluded.alerted_ids THEN known.alerted_ids
                    ELSE known.alerted_ids || excluded.alerted_ids END,
                due_at = CASE WHEN known.failures > 0 THEN known.due_at ELSE excluded.due_at END
            """,
            deletingExcess(of: delivery, where: "proof = \(proof)", above: AlertSubscription.proofMax),
            deletingExcess(of: delivery, where: "true", above: AlertSubscription.deliveryMax),
        ])
    }

    private static func deletingExcess(of delivery: DeliveryID, where condition: SQL, above rowsMax: Int) -> SQL {
        """
        DELETE FROM alert_subscriptions WHERE delivery_id = \(delivery) AND endpoint IN (
            SELECT endpoint FROM alert_subscriptions WHERE delivery_id = \(delivery) AND \(sql: condition)
            ORDER BY is_on DESC, subscribed_at DESC, endpoint OFFSET \(rowsMax))
        """
    }

    static func turnOff(_ endpoint: String, of delivery: DeliveryID) -> SQL {
        """
        UPDATE alert_subscriptions SET is_on = false, due_at = NULL
        WHERE delivery_id = \(delivery) AND endpoint = \(endpoint)
        """
    }

    /// Deletes a browser's subscriptions to every delivery: its push service has dropped it, or is no longer allowed.
    static func delete(_ endpoint: String) -> SQL {
        """
        DELETE FROM alert_subscriptions WHERE (delivery_id, endpoint) IN (
            SELECT delivery_id, endpoint FROM alert_subscriptions WHERE endpoint = \(endpoint)
            ORDER BY delivery_id FOR UPDATE)
        """
    }

    /// Makes those of some deliveries due.
    static func makeDue(of deliveries: [DeliveryID], at now: Date) -> SQL {
        """
        UPDATE alert_subscriptions SET due_at = \(now)
        WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))) AND is_on AND due_at IS NULL
        """
    }

    /// Makes subscriptions due that lack a wanted and valid alert, whichever process raised it and when.
    static func makeLackingDue(at now: Date) -> SQL {
        let alert: SQL = "coalesce(wanted -> 'show', wanted -> 'ended') -> 'alert'"
        return """
            UPDATE alert_subscriptions AS known SET due_at = \(now) FROM activities
            WHERE is_on AND due_at IS NULL AND activities.delivery_id = known.delivery_id
                AND (\(sql: alert) ->> 'validUntil')::bigint > \(now.epochSeconds)
                AND NOT alerted_ids ? (\(sql: alert) ->> 'id')
            """
    }

    /// When the next is due, domain time; nil where none is.
    static func nextDue(on executor: some PostgresExecutor) async throws -> Date? {
        try await executor.query("SELECT min(due_at) AS due_at FROM alert_subscriptions WHERE due_at IS NOT NULL")
            .first?.decode("due_at")
    }

    /// The due subscriptions, locked.
    struct Due: Sendable {
        let delivery: DeliveryID
        let endpoint: String
        /// Nil where the row cannot be decoded.
        let subscription: AlertSubscription?
        /// The wanted state of the delivery's newest episode; nil without one, or for an undecodable row.
        let wanted: ActivityStep?
        /// The delivery's store; nil where no intent has carried it.
        let store: StoreID?
    }

    static func lockDue(
        by now: Date, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> [Due] {
        let rows = try await transaction.query(
            """
            SELECT delivery_id, endpoint, p256dh, auth, locale, alerted_ids, failures FROM alert_subscriptions
            WHERE due_at <= \(now) ORDER BY due_at LIMIT \(rowsMax) FOR NO KEY UPDATE SKIP LOCKED
            """)
        guard !rows.isEmpty else { return [] }
        let deliveries = Set(try rows.map { try $0.decode("delivery_id", as: DeliveryID.self) })
        let newest = try await ActivityRepository.newest(of: Array(deliveries), on: transaction)
        return try rows.map { row in
            let delivery = try row.decode("delivery_id", as: DeliveryID.self)
            // `AlertSender` logs an undecodable subscription, which is then due no longer.
            return Due(
                delivery: delivery, endpoint: try row.decode("endpoint"), subscription: try? subscription(row),
                wanted: newest[delivery]?.activity.wanted, store: newest[delivery]?.activity.store)
        }
    }

    /// Writes a reservation after its messages were sent.
    static func settle(_ due: Due, as subscription: AlertSubscription?) -> SQL {
        let alerted: SQL = subscription.map { "alerted_ids = \(PostgresJSON($0.alertedIDs))," } ?? ""
        return """
            UPDATE alert_subscriptions SET \(sql: alerted) due_at = NULL
            WHERE delivery_id = \(due.delivery) AND endpoint = \(due.endpoint)
            """
    }

    /// Releases an alert that certainly reached no browser.
    ///
    /// - Parameter dueAt: the time of the next attempt; nil where the alert expires before.
    static func release(_ alert: String, of subscription: AlertSubscription, dueAt: Date?) -> SQL {
        let isAgain = dueAt != nil
        return """
            UPDATE alert_subscriptions SET failures = \(subscription.failures),
                alerted_ids = CASE WHEN \(isAgain) THEN alerted_ids - \(alert) ELSE alerted_ids END,
                due_at = CASE WHEN is_on THEN least(due_at, \(dueAt)) END
            WHERE delivery_id = \(subscription.delivery) AND endpoint = \(subscription.browser.endpoint)
            """
    }

    /// Notes that a browser was reached.
    static func clearFailures(_ subscription: AlertSubscription) -> SQL {
        """
        UPDATE alert_subscriptions SET failures = 0
        WHERE delivery_id = \(subscription.delivery) AND endpoint = \(subscription.browser.endpoint)
        """
    }

    private static func subscription(_ row: PostgresRow) throws -> AlertSubscription {
        AlertSubscription(
            delivery: try row.decode("delivery_id"),
            browser: try WebPushSubscription(
                endpoint: row.decode("endpoint"), p256dh: row.decode("p256dh"), auth: row.decode("auth"),
                // Whether it is sent to is decided when it is.
                allowsLoopback: true),
            locale: try row.decode("locale"), alertedIDs: try row.decodeJSON("alerted_ids"),
            failures: try row.decode("failures"))
    }
}
