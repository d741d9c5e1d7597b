import Foundation
import Messages
import OrderDomain
import PostgresClient

/// The SQL of cards' health: how many of a delivery's cards are open and how many are behind, as last published.
enum CardHealthRepository {
    /// Counts the deliveries' cards again and stores each health that changed.
    ///
    /// - Returns: the healths that changed, each with its next sequence, for the caller to publish.
    static func recount(
        _ deliveries: Set<DeliveryID>, at now: Date, in transaction: PostgresTransaction
    ) async throws -> [CardHealthChanged] {
        var changes: [CardHealthChanged] = []
        // In one order, so that two devices of one customer never deadlock.
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
            if let row = results[2].rows.first { changes.append(try CardHealthChanged(row)) }
        }
        return changes
    }

    /// The rows of deliveries that are live or whose health changed after a time, in the order of `delivery_id`.
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
}

extension CardHealthChanged {
    init(_ row: PostgresRow) throws {
        self.init(
            delivery: try row.decode("delivery_id"), sequence: try row.decode("sequence"),
            cards: try row.decode("cards"), behind: try row.decode("behind"), reason: try row.decode("reason"))
    }
}
