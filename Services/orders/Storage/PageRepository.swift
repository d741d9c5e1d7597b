import Foundation
import OrderDomain
import PostgresClient

/// The SQL of pages.
enum PageRepository {
    /// The version of a page's content in this service's database, without time and other services' data.
    struct Version: Hashable, Sendable {
        let version: Int
        /// The number of the good links that only show it; nil where none was made.
        let viewLinks: Int?
    }

    /// A delivery as pages read it.
    struct Read: Sendable {
        let record: DeliveryRecord
        let viewLinks: Int?

        var version: Version { Version(version: record.delivery.version, viewLinks: viewLinks) }
    }

    /// Reads the pages of deliveries; unknown deliveries are omitted, and those whose customer is or was erased.
    static func read(
        _ deliveries: [DeliveryID], opening box: PersonalDataBox, on database: some PostgresExecutor
    ) async throws -> [DeliveryID: Read] {
        let rows = try await database.query(
            """
            SELECT \(sql: OrderRepository.recordColumns), drop_off, view_links FROM deliveries
            WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[]) AND erased_at IS NULL
            """)
        let reads = try rows.map { row in
            let record = try OrderRepository.recordWithDropOff(row, opening: box)
            return (record.delivery.id, Read(record: record, viewLinks: try row.decode("view_links")))
        }
        return Dictionary(uniqueKeysWithValues: reads)
    }

    /// An order's delivery, as a page of another one of the order links to it.
    struct OtherBag: Sendable {
        let delivery: DeliveryID
        /// The delivery's position among the order's deliveries.
        let number: Int
        let promiseEnd: Date
        /// Nil while it is live.
        let endedAt: Date?
    }

    /// The other deliveries of a delivery's order, in the order of their bags.
    static func otherBags(
        than delivery: Delivery, on database: some PostgresExecutor
    ) async throws -> [OtherBag] {
        try await database.query(
            """
            SELECT delivery_id, bag_number, promise_end, ended_at FROM deliveries
            WHERE order_id = \(delivery.order.rawValue) AND delivery_id <> \(delivery.id.rawValue)
            ORDER BY bag_number
            """
        ).map { row in
            OtherBag(
                delivery: try row.identifier("delivery_id"), number: try row.decode("bag_number"),
                promiseEnd: try row.decode("promise_end"), endedAt: try row.decode("ended_at"))
        }
    }

    /// Reads the versions of deliveries alone.
    static func versions(
        of deliveries: [DeliveryID], on database: some PostgresExecutor
    ) async throws -> [DeliveryID: Version] {
        let rows = try await database.query(
            """
            SELECT delivery_id, version, view_links FROM deliveries
            WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[])
            """)
        return try rows.reduce(into: [:]) { versions, row in
            versions[try row.identifier("delivery_id")] = Version(
                version: try row.decode("version"), viewLinks: try row.decode("view_links"))
        }
    }
}
