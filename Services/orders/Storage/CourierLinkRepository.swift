import OrderDomain
import PostgresClient

/// The SQL of links to couriers' own pages: the number of each courier's valid links.
enum CourierLinkRepository {
    /// The number of the courier's good links; nil where none was made.
    static func number(of courier: CourierID, on database: some PostgresExecutor) async throws -> Int? {
        try await database.query("SELECT number FROM courier_links WHERE courier_id = \(courier.rawValue)").first?
            .decode("number")
    }

    /// The courier's link number.
    ///
    /// The first is the present second: no link of a courier who was erased since, or whom a restored database does not
    /// know, is valid again.
    static func make(of courier: CourierID, on database: some PostgresExecutor) async throws -> Int {
        try await database.query(
            """
            INSERT INTO courier_links (courier_id, number)
            VALUES (\(courier.rawValue), \(sql: presentSecond))
            ON CONFLICT (courier_id) DO UPDATE SET number = courier_links.number RETURNING number
            """)[0].decode("number")
    }

    /// Revokes the courier's links, also those that the database does not know, since it was restored.
    ///
    /// - Returns: whether it knew of a link.
    static func revoke(of courier: CourierID, on database: some PostgresExecutor) async throws -> Bool {
        // Above the number of a link that was made in this second.
        try await database.query(
            """
            INSERT INTO courier_links AS links (courier_id, number)
            VALUES (\(courier.rawValue), \(sql: presentSecond) + 1)
            ON CONFLICT (courier_id) DO UPDATE SET number = greatest(links.number + 1, excluded.number)
            RETURNING EXISTS (SELECT FROM courier_links AS former WHERE former.courier_id = links.courier_id) AS existed
            """)[0].decode("existed")
    }

    private static let presentSecond: SQL = "extract(epoch FROM clock_timestamp())::integer"
}
