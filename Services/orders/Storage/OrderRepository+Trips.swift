import Foundation
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

    /// Those of the deliveries whose place on a trip, or whose courier, was set after a time by another author.
    ///
    /// - Parameter author: as timelines record it.
    static func placed(
        _ ids: [DeliveryID], after time: Date, notBy author: String, on database: some PostgresExecutor
    ) async throws -> Set<DeliveryID> {
        let rows = try await database.query(
            """
            SELECT DISTINCT delivery_id FROM timeline
            WHERE delivery_id = ANY(\(ids.map(\.rawValue))::text[]) AND kind IN ('trip', 'courier')
                AND at > \(time) AND changed_by <> \(author)
            """)
        return try rows.reduce(into: []) { placed, row in placed.insert(try row.identifier("delivery_id")) }
    }
}
