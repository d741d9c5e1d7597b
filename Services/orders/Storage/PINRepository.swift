import OrderDomain
import PostgresClient

/// The SQL of customers' sealed PINs.
enum PINRepository {
    /// The sealed PIN of a live delivery among the columns of its row; NULL without one.
    static let column: SQL = """
        CASE WHEN ended_at IS NULL THEN (
            SELECT sealed FROM delivery_pins WHERE delivery_pins.delivery_id = deliveries.delivery_id) END AS pin
        """

    /// The sealed PINs of deliveries that are locked.
    static func sealed(
        of deliveries: [DeliveryID], in transaction: PostgresTransaction
    ) async throws -> [DeliveryID: String] {
        let rows = try await transaction.query(
            """
            SELECT delivery_id, sealed FROM delivery_pins
            WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[])
            """)
        return try rows.reduce(into: [:]) { pins, row in
            pins[try row.identifier("delivery_id")] = try row.decode("sealed", as: String.self)
        }
    }

    /// Stores PINs; those of reopened deliveries replace the former ones.
    static func insert(_ pins: [(delivery: DeliveryID, sealed: String)]) -> SQL {
        """
        INSERT INTO delivery_pins (delivery_id, sealed)
        SELECT * FROM unnest(\(pins.map(\.delivery.rawValue))::text[], \(pins.map(\.sealed))::text[])
        ON CONFLICT (delivery_id) DO UPDATE SET sealed = excluded.sealed
        """
    }

    /// Deletes the PINs of deliveries that have ended, and none of a delivery that is reopened meanwhile.
    static func deleteEnded(rowsMax: Int) -> SQL {
        """
        DELETE FROM delivery_pins WHERE delivery_id IN (
            SELECT delivery_id FROM delivery_pins JOIN deliveries USING (delivery_id)
            WHERE ended_at IS NOT NULL LIMIT \(rowsMax) FOR NO KEY UPDATE OF deliveries SKIP LOCKED)
        """
    }
}
