import OrderDomain
import PostgresClient

/// The SQL of corrections besides the delivery's own row of columns.
extension OrderRepository {
    /// Replaces the drop-offs of deliveries; no statement for none.
    static func replace(
        _ dropOffs: [(delivery: DeliveryID, dropOff: DropOff?)], by box: PersonalDataBox
    ) throws -> [SQL] {
        guard !dropOffs.isEmpty else { return [] }
        let stored = try dropOffs.map { one in try one.dropOff.map { try box.stored($0, of: one.delivery) } }
        return [
            """
            UPDATE deliveries SET drop_off = new.drop_off
            FROM unnest(\(dropOffs.map(\.delivery.rawValue))::text[], \(PostgresNullableArray(stored))::text[]::jsonb[])
                AS new (delivery_id, drop_off)
            WHERE deliveries.delivery_id = new.delivery_id
            """
        ]
    }

    /// Removes the estimates of deliveries whose door has moved; a later estimate of an earlier version is refused.
    static func removeEstimates(of deliveries: [DeliveryID]) -> [SQL] {
        guard !deliveries.isEmpty else { return [] }
        return [
            """
            UPDATE deliveries SET estimate = NULL, arrives_at = NULL, miss_probability = NULL,
                estimate_version = version, estimate_step = 0
            WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[])
            """
        ]
    }
}
