import OrderDomain
import PostgresClient

/// The SQL of links that only show a delivery: the number of each delivery's valid links.
enum ViewLinkRepository {
    /// The number of the delivery's good links; nil where none was made.
    static func number(of id: DeliveryID, on database: some PostgresExecutor) async throws -> Int? {
        try await database.query("SELECT view_links FROM deliveries WHERE delivery_id = \(id.rawValue)").first?
            .decode("view_links")
    }

    /// The delivery's link number; the first is 1.
    static func make(of id: DeliveryID, on database: some PostgresExecutor) async throws -> Int? {
        try await database.execute(
            "UPDATE deliveries SET view_links = 1 WHERE delivery_id = \(id.rawValue) AND view_links IS NULL")
        return try await number(of: id, on: database)
    }

    /// Revokes the delivery's view links, also the first ones of a database that does not know them, since it was
    /// restored.
    ///
    /// The next number is 2 to 256 above the former one, at random: hardly ever one that was given out before a restore.
    /// A delivery's numbers last for some 500 revocations.
    /// - Returns: false where the delivery has no link number left.
    static func revoke(of id: DeliveryID, on database: some PostgresExecutor) async throws -> Bool {
        try await database.execute(
            """
            UPDATE deliveries SET view_links =
                least(coalesce(view_links, 1) + 2 + floor(random() * 255)::integer, \(Link.viewNumberMax)::integer)
            WHERE delivery_id = \(id.rawValue) AND coalesce(view_links, 1) < \(Link.viewNumberMax)
            """) > 0
    }
}
