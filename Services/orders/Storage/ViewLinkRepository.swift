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

    /// Revokes the delivery's current view links.
    ///
    /// - Returns: false where the delivery has no link number left.
    static func revoke(of id: DeliveryID, on database: some PostgresExecutor) async throws -> Bool {
        try await database.execute(
            """
            UPDATE deliveries SET view_links = view_links + 1
            WHERE delivery_id = \(id.rawValue) AND view_links < \(Link.viewNumberMax)
            """) > 0
    }
}
