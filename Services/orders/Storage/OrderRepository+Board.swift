import Messages
import OrderDomain
import PostgresClient

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

    /// Saves an estimate unless a newer one, by version and step, is saved already.
    static func project(_ change: EstimateChanged) throws -> SQL {
        """
        UPDATE deliveries SET estimate_version = \(change.version), estimate_step = \(change.step),
            arrives_at = \(change.estimate.arrivesAt), estimate = \(try json(change.estimate))::jsonb,
            miss_probability = \(change.missProbability.map { min(max($0, 0), 1) }),
            estimate_errors = \(try change.errors.map(json))::jsonb
        WHERE delivery_id = \(change.delivery.rawValue)
            AND (estimate_version IS NULL OR (estimate_version, estimate_step) < (\(change.version)::integer, \(change.step)::integer))
        """
    }

    /// Saves the health of a delivery's cards unless a newer one, by sequence, is saved already.
    static func project(_ change: CardHealthChanged) -> SQL {
        """
        UPDATE deliveries SET cards_sequence = \(change.sequence), cards_count = \(change.cards),
            cards_behind = \(change.behind), cards_reason = \(change.reason)
        WHERE delivery_id = \(change.delivery.rawValue)
            AND (cards_sequence IS NULL OR cards_sequence < \(change.sequence))
        """
    }
}
