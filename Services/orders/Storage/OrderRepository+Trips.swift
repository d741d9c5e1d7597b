import Foundation
import OrderDomain
import PostgresClient

extension OrderRepository {
    /// A courier's live deliveries, locked in the order of ids.
    static func lockedTrip(
        of courier: CourierID, in transaction: PostgresTransaction
    ) async throws -> [DeliveryRecord] {
        let ids = try await transaction.query(
            """
            SELECT delivery_id FROM deliveries WHERE courier_id = \(courier.rawValue) AND ended_at IS NULL
            """
        ).compactMap { DeliveryID(rawValue: try $0.decode("delivery_id")) }
        return try await lockedDeliveries(ids, opening: nil, in: transaction)
    }

    /// The changes of a delivery's place on a trip since an instant.
    struct PlaceChanges: Sendable {
        /// Advances by the timer of the trip, of one stop less each.
        let advances: Int
        /// Whether another author set the place, or the courier.
        let isSet: Bool
    }

    /// The changes of places after a time; none for a delivery that kept its place.
    ///
    /// - Parameter timer: the author of the advances, as timelines record it.
    static func placeChanges(
        of deliveries: [DeliveryID], after time: Date, timer: String, on database: some PostgresExecutor
    ) async throws -> [DeliveryID: PlaceChanges] {
        let rows = try await database.query(
            """
            SELECT delivery_id, count(*) FILTER (WHERE changed_by = \(timer)) AS advances,
                bool_or(changed_by <> \(timer)) AS is_set
            FROM timeline
            WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[]) AND kind IN ('trip', 'courier')
                AND at > \(time)
            GROUP BY delivery_id
            """)
        return try rows.reduce(into: [:]) { changes, row in
            let id: DeliveryID = try row.identifier("delivery_id")
            changes[id] = PlaceChanges(advances: try row.decode("advances"), isSet: try row.decode("is_set"))
        }
    }
}
