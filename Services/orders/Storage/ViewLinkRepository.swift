import OrderDomain
import PostgresClient

/// The SQL of links that only show a delivery: which number of them is good.
enum ViewLinkRepository {
    /// The number of the delivery's good links; nil where none was made.
    static func number(of id: DeliveryID, on database: some PostgresExecutor) async throws -> Int? {
        try await database.query("SELECT view_links FROM deliveries WHERE delivery_id = \(id.rawValue)").first?
            .decode("view_links")
    }

    /// The same, counted from 1 where none was made.
    static func make(of id: DeliveryID, on database: some PostgresExecutor) async throws -> Int? {
        try await database.execute(
            "UPDATE deliveries SET view_links = 1 WHERE delivery_id = \(id.rawValue) AND view_links IS NULL")
        return try await number(of: id, on: database)
    }

    /// Has links of the present number be good no more.
    ///
    /// - Returns: false where there is no number left.
    static func revoke(of id: DeliveryID, on database: some PostgresExecutor) async throws -> Bool {
        try await database.execute(
            """
            UPDATE deliveries SET view_links = view_links + 1
            WHERE delivery_id = \(id.rawValue) AND view_links < \(Link.viewNumberMax)
            """) > 0
    }
}
