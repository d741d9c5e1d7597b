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
}
