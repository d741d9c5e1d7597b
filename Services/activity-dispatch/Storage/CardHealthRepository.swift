import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// The SQL of cards' health: how many of a delivery's cards are open and how many are behind, as last published.
enum CardHealthRepository {
    /// Counts the deliveries' cards again and stores each health that changed.
    ///
    /// A row's sequence begins with the minutes since 1970: `orders` keeps the sequence of a row that retention has
    /// deleted, and a delivery that is reopened after that goes on above it.
    ///
    /// - Returns: the healths that changed, each with its next sequence, for the caller to publish.
    static func recount(
        _ deliveries: Set<DeliveryID>, at now: Date, in transaction: PostgresTransaction
    ) async throws -> [CardHealthChanged] {
        var changes: [CardHealthChanged] = []
        // In one order, so that two devices of one customer never deadlock.
        for delivery in deliveries.sorted() {
            // Locked first and counted after: a count before the lock could miss another device's latest change.
            let results = try await transaction.batch([
                """
                INSERT INTO card_health (delivery_id, sequence, cards, behind, reason, changed_at)
                VALUES (\(delivery), \(now.epochSeconds / 60), 0, 0, NULL, \(now)) ON CONFLICT DO NOTHING
                """,
                "SELECT FROM card_health WHERE delivery_id = \(delivery) FOR NO KEY UPDATE",
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

    /// The next rows of a slice of the activities, each with the health of its delivery's cards; without a `sequence`
    /// where there is none, as of a summary.
    static func republishableRows(of slice: RepublishSlice, rowsMax: Int, at now: Date) -> SQL {
        let activities = slice.rows(
            "delivery_id", of: "activities", id: "activity_id", at: now, rowsMax: rowsMax)
        return """
            SELECT republished.*, sequence, cards, behind, reason
            FROM (\(sql: activities)) AS republished LEFT JOIN card_health USING (delivery_id)
            ORDER BY republish_end, republish_id
            """
    }

    /// The health of these activities' deliveries, each with the activity's id as `republish_id`.
    static func republishedRows(_ activities: [String], in transaction: PostgresTransaction) async throws
        -> [PostgresRow]
    {
        try await transaction.query(
            """
            SELECT card_health.*, activity_id AS republish_id FROM activities JOIN card_health USING (delivery_id)
            WHERE activity_id = ANY(\(activities)) ORDER BY activity_id
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
