import DoorstepAPI
import OrderDomain
import PostgresClient

extension OrderRepository {
    /// Couriers that are read at most to name those that may be meant.
    private static let couriersMax = 1_000

    /// The couriers whom the store or the shop has described, and those of the store's live deliveries.
    static func couriers(
        of store: StoreID, on database: some PostgresExecutor
    ) async throws -> [CouriersBody.Row] {
        try await database.query(
            """
            SELECT courier_id, max(name) AS name, (
                SELECT count(*) FROM deliveries WHERE deliveries.courier_id = known.courier_id AND ended_at IS NULL
                    AND store_id = \(store.rawValue)
            ) AS deliveries
            FROM (
                SELECT courier_id, snapshot->>'name' AS name FROM store_couriers WHERE store_id = \(store.rawValue)
                UNION ALL SELECT courier_id, snapshot->>'name' FROM couriers WHERE is_shop_wide
                UNION ALL SELECT courier_id, snapshot->'courier'->>'name' FROM deliveries
                WHERE courier_id IS NOT NULL AND ended_at IS NULL AND store_id = \(store.rawValue)
            ) AS known
            GROUP BY courier_id ORDER BY courier_id LIMIT \(couriersMax)
            """
        ).compactMap { row in
            let deliveries: Int = try row.decode("deliveries")
            return try CourierID(rawValue: row.decode("courier_id")).map {
                CouriersBody.Row(
                    courier: $0, name: try row.decode("name"), phones: 0, lastSeenAt: nil, onDuty: deliveries > 0,
                    deliveries: deliveries)
            }
        }
    }

    /// A courier as a live delivery of the store has them, with a number as it is stored, or else as a former version
    /// of the delivery has them, without a number; nil without either.
    ///
    /// An erased courier is in neither; one who is being erased is not searched for.
    static func courier(
        _ id: CourierID, inDeliveriesOf store: StoreID, andVersionsOf delivery: DeliveryID,
        on database: some PostgresExecutor
    ) async throws -> Courier? {
        try await database.query(
            """
            SELECT courier FROM (
                SELECT snapshot->'courier' AS courier, 1 AS rank, NULL::bigint AS timeline_id FROM deliveries
                WHERE courier_id = \(id.rawValue) AND ended_at IS NULL AND store_id = \(store.rawValue)
                UNION ALL
                SELECT reversal->'courier'->'value', 2, timeline_id FROM timeline
                WHERE delivery_id = \(delivery.rawValue) AND reversal->'courier'->'value'->>'id' = \(id.rawValue)
            ) AS known
            WHERE NOT EXISTS (SELECT FROM person_requests WHERE courier_id = \(id.rawValue))
            ORDER BY rank, timeline_id DESC LIMIT 1
            """
        ).first.map { try $0.decodeJSON("courier") }
    }
}
