import OrderDomain
import PostgresClient

extension OrderRepository {
    /// A courier's live deliveries with more stops before them, in the order of ids.
    static func deliveries(
        of courier: CourierID, beyond stopsBefore: Int, on database: some PostgresExecutor
    ) async throws -> [DeliveryID] {
        try await database.query(
            """
            SELECT delivery_id FROM deliveries
            WHERE courier_id = \(courier.rawValue) AND ended_at IS NULL
                AND (snapshot->>'stopsBefore')::integer > \(stopsBefore)
            ORDER BY delivery_id
            """
        ).compactMap { DeliveryID(rawValue: try $0.decode("delivery_id")) }
    }
}
