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

    /// Reads the pages of deliveries; unknown deliveries are omitted.
    static func read(
        _ deliveries: [DeliveryID], on database: some PostgresExecutor
    ) async throws -> [DeliveryID: Read] {
        let rows = try await database.query(
            """
            SELECT \(sql: OrderRepository.recordColumns), view_links FROM deliveries
            WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[])
            """)
        let reads = try rows.map { row in
            let record = try OrderRepository.record(row)
            return (record.delivery.id, Read(record: record, viewLinks: try row.decode("view_links")))
        }
        return Dictionary(uniqueKeysWithValues: reads)
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
        let versions = try rows.compactMap { row in
            try DeliveryID(rawValue: row.decode("delivery_id")).map { delivery in
                (
                    delivery,
                    Version(version: try row.decode("version"), viewLinks: try row.decode("view_links"))
                )
            }
        }
        return Dictionary(uniqueKeysWithValues: versions)
    }
}
