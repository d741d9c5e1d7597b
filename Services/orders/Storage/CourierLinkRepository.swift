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
    /// The first is 1, and after the erasure of a courier the present second: a link of an erased courier never shows
    /// the page of a new courier with the id.
    static func make(of courier: CourierID, on database: some PostgresExecutor) async throws -> Int {
        try await database.query(
            """
            INSERT INTO courier_links (courier_id, number)
            SELECT \(courier.rawValue), CASE WHEN EXISTS (SELECT FROM person_requests WHERE person = 'courier')
                THEN extract(epoch FROM clock_timestamp())::integer ELSE 1 END
            ON CONFLICT (courier_id) DO UPDATE SET number = courier_links.number RETURNING number
            """)[0].decode("number")
    }

    /// Revokes the courier's current links.
    ///
    /// - Returns: whether a link existed.
    static func revoke(of courier: CourierID, on database: some PostgresExecutor) async throws -> Bool {
        try await database.execute(
            "UPDATE courier_links SET number = number + 1 WHERE courier_id = \(courier.rawValue)") > 0
    }
}
