import PostgresClient

/// The services' schemas in a stack's database.
struct StackSchemas: Sendable {
    static let names = ["orders", "courier_eta", "activity_dispatch", "desk", "partners"]

    let pool: PostgresPool

    /// The missing schemas.
    func missing() async throws -> [String] {
        let found = try await pool.query("SELECT nspname::text AS name FROM pg_namespace")
            .map { try $0.decode("name", as: String.self) }
        return Self.names.filter { !found.contains($0) }
    }

    /// Whether a drop-off or a courier's number is stored readable; false before there are such tables.
    ///
    /// Of the deliveries those of the ``probedOrders`` are read that changed last: without the setting they are readable.
    /// What is readable of before is sealed by `orders`, whose gauge has what is left.
    func hasReadablePersonalData() async throws -> Bool {
        do {
            return try await pool.query(
                """
                SELECT EXISTS (
                    SELECT FROM (
                        SELECT order_id FROM orders.orders
                        ORDER BY coalesce(changed_at, placed_at) DESC, order_id DESC LIMIT \(Self.probedOrders)
                    ) AS newest JOIN orders.deliveries USING (order_id)
                    WHERE jsonb_typeof(drop_off) = 'object'
                        OR snapshot #>> '{courier,phone}' !~ \(Self.sealedNumber)::text
                ) OR EXISTS (SELECT FROM orders.couriers WHERE snapshot->>'phone' !~ \(Self.sealedNumber)::text)
                    OR EXISTS (SELECT FROM orders.store_couriers WHERE snapshot->>'phone' !~ \(Self.sealedNumber)::text)
                    AS readable
                """)[0].decode("readable")
        } catch let error as PostgresError where error.sqlState == Self.undefinedTable {
            return false
        }
    }

    /// Orders whose deliveries are read.
    static let probedOrders = 1_000
    /// How `orders` writes a number that is sealed.
    private static let sealedNumber = "^[0-9]{1,3}:[A-Za-z0-9_-]{40,}$"
    private static let undefinedTable = "42P01"
}
