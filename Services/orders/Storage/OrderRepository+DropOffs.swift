import Foundation
import OrderDomain
import PostgresClient

/// The SQL of drop-offs, which are stored apart from the deliveries' snapshots, sealed or in clear.
extension OrderRepository {
    /// The recipients, addresses and notes of the deliveries that have any; without those that cannot be opened.
    static func dropOffs(
        of ids: [DeliveryID], opening box: PersonalDataBox, on database: some PostgresExecutor
    ) async throws -> [DeliveryID: DropOff] {
        let rows = try await database.query(
            """
            SELECT delivery_id, drop_off FROM deliveries
            WHERE delivery_id = ANY(\(ids.map(\.rawValue))::text[]) AND drop_off IS NOT NULL
            """)
        return try rows.reduce(into: [:]) { dropOffs, row in
            let id: DeliveryID = try row.identifier("delivery_id")
            // The box reports what it cannot open.
            dropOffs[id] = try? box.dropOff(in: try row.decode("drop_off"), of: id)
        }
    }

    /// The positions of the deliveries' doors.
    static func doors(
        of ids: [DeliveryID], on database: some PostgresExecutor
    ) async throws -> [DeliveryID: Coordinate] {
        let rows = try await database.query(
            """
            SELECT delivery_id, snapshot->'door' AS door FROM deliveries
            WHERE delivery_id = ANY(\(ids.map(\.rawValue))::text[])
            """)
        return try rows.reduce(into: [:]) { doors, row in
            doors[try row.identifier("delivery_id")] = try row.decodeJSON("door", as: Coordinate.self)
        }
    }

    /// - Parameter box: opens the drop-off; nil where no drop-off is read, of a record that is not shown.
    static func recordWithDropOff(_ row: PostgresRow, opening box: PersonalDataBox?) throws -> DeliveryRecord {
        var record = try record(row)
        guard let box, let text = try row.decode("drop_off", as: String?.self) else { return record }
        do {
            record.dropOff = try box.dropOff(in: text, of: record.delivery.id)
        } catch let unreadable as PersonalDataBox.Unreadable {
            record.unreadable = unreadable
        }
        return record
    }
}
