import Foundation
import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// The SQL of the estimates and the health of cards that other services publish.
extension OrderRepository {
    /// The columns of the estimate in an update by `new`: with another courier the former one's goes, and none of an
    /// earlier version comes after that.
    static var estimateOfCourier: SQL {
        let isKept: SQL = "deliveries.courier_id IS NOT DISTINCT FROM new.courier_id"
        return """
            estimate = CASE WHEN \(sql: isKept) THEN deliveries.estimate END,
            arrives_at = CASE WHEN \(sql: isKept) THEN deliveries.arrives_at END,
            miss_probability = CASE WHEN \(sql: isKept) THEN deliveries.miss_probability END,
            estimate_version = CASE WHEN \(sql: isKept) THEN deliveries.estimate_version ELSE new.version END,
            estimate_step = CASE WHEN \(sql: isKept) THEN deliveries.estimate_step ELSE 0 END
            """
    }

    /// Saves the estimate of each delivery unless a newer one, by version and step, is saved already.
    static func project(_ changes: [EstimateChanged]) throws -> SQL {
        """
        WITH new AS (
            SELECT * FROM unnest(\(changes.map(\.delivery.rawValue))::text[], \(changes.map(\.version)),
                \(changes.map(\.step)), \(PostgresNullableArray(changes.map(arrivesAt)))::timestamptz[],
                \(PostgresJSONArray(encoded: try changes.map { try WireJSON.encode($0.estimate) })),
                \(PostgresNullableArray(changes.map(missProbability)))::float8[],
                \(PostgresJSONArray(changes.map(\.errors))))
                AS new (delivery_id, version, step, arrives_at, estimate, miss_probability, errors)
        ), \(sql: lockedDeliveriesOfNew)
        UPDATE deliveries SET estimate_version = new.version, estimate_step = new.step, arrives_at = new.arrives_at,
            estimate = new.estimate, miss_probability = new.miss_probability, estimate_errors = new.errors
        FROM new JOIN locked USING (delivery_id)
        WHERE deliveries.delivery_id = new.delivery_id
            AND (estimate_version IS NULL OR (estimate_version, estimate_step) < (new.version, new.step))
        """
    }

    private static func arrivesAt(_ change: EstimateChanged) -> Date? { change.estimate.arrivesAt }

    private static func missProbability(_ change: EstimateChanged) -> Double? {
        change.missProbability.map { min(max($0, 0), 1) }
    }

    /// Saves the health of each delivery's cards unless a newer one, by sequence, is saved already.
    static func project(_ changes: [CardHealthChanged]) -> SQL {
        """
        WITH new AS (
            SELECT * FROM unnest(\(changes.map(\.delivery.rawValue))::text[], \(changes.map(\.sequence)),
                \(changes.map(\.cards)), \(changes.map(\.behind)),
                \(PostgresNullableArray(changes.map(\.reason)))::text[])
                AS new (delivery_id, sequence, cards, behind, reason)
        ), \(sql: lockedDeliveriesOfNew)
        UPDATE deliveries SET cards_sequence = new.sequence, cards_count = new.cards, cards_behind = new.behind,
            cards_reason = new.reason
        FROM new JOIN locked USING (delivery_id)
        WHERE deliveries.delivery_id = new.delivery_id AND (cards_sequence IS NULL OR cards_sequence < new.sequence)
        """
    }

    /// Locks rows in the order of their ids, as changes of deliveries do, so that no two transactions deadlock.
    private static let lockedDeliveriesOfNew: SQL = """
        locked AS (
            SELECT delivery_id FROM deliveries WHERE delivery_id IN (SELECT delivery_id FROM new)
            ORDER BY delivery_id FOR NO KEY UPDATE
        )
        """
}
