import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// How a delivery's cards are, told to whoever lists deliveries when it changes.
enum CardHealth {
    /// Counts the deliveries' cards and tells those whose health is another than was told last.
    ///
    /// - Returns: whether anything was enqueued.
    static func tell(
        _ deliveries: Set<DeliveryID>, at now: Date, in transaction: PostgresTransaction
    ) async throws -> Bool {
        var isAnythingTold = false
        // In one order, so that two devices of one customer never wait for each other.
        for delivery in deliveries.sorted() {
            // Locked first and counted after: a count taken before the lock could miss what another device just did.
            let results = try await transaction.batch([
                """
                INSERT INTO card_health (delivery_id, sequence, cards, behind, reason, changed_at)
                VALUES (\(delivery), 0, 0, 0, NULL, \(now)) ON CONFLICT DO NOTHING
                """,
                "SELECT FROM card_health WHERE delivery_id = \(delivery) FOR UPDATE",
                """
                UPDATE card_health AS known SET sequence = sequence + 1, cards = counted.cards, behind = counted.behind,
                    reason = counted.reason, changed_at = \(now)
                FROM (
                    SELECT count(*) AS cards, count(behind_since) AS behind,
                        (array_agg(cards.reason ORDER BY behind_since) FILTER (WHERE behind_since IS NOT NULL))[1] AS reason
                    FROM cards JOIN activities USING (activity_id)
                    WHERE delivery_id = \(delivery) AND state IN ('waiting', 'starting', 'active')
                ) AS counted
                WHERE delivery_id = \(delivery) AND (known.cards, known.behind, known.reason)
                    IS DISTINCT FROM (counted.cards, counted.behind, counted.reason)
                RETURNING known.*
                """,
            ])
            let rows = results[2].rows
            guard let row = rows.first else { continue }
            try await transaction.enqueue(message(row))
            isAnythingTold = true
        }
        return isAnythingTold
    }

    /// The rows of deliveries that are live or ended lately, in the order of `delivery_id`.
    static func rows(
        after cursor: String?, rowsMax: Int, changedAfter: Date, in transaction: PostgresTransaction
    ) async throws -> [PostgresRow] {
        try await transaction.query(
            """
            SELECT card_health.* FROM card_health
            WHERE delivery_id > \(cursor ?? "") AND (changed_at > \(changedAfter) OR EXISTS (
                SELECT FROM activities WHERE activities.delivery_id = card_health.delivery_id AND NOT is_ended))
            ORDER BY delivery_id LIMIT \(rowsMax)
            """)
    }

    /// What was told last about a delivery.
    static func message(_ row: PostgresRow) throws -> OutboxMessage {
        let health = CardHealthChanged(
            delivery: try row.decode("delivery_id"), sequence: try row.decode("sequence"),
            cards: try row.decode("cards"), behind: try row.decode("behind"), reason: try row.decode("reason"))
        return try OutboxMessage(subject: Subject.cardHealth(health.delivery), encoding: health)
    }
}
