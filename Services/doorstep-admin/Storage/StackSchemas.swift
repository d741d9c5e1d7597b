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
    func hasReadablePersonalData() async throws -> Bool {
        do {
            return try await pool.query(
                """
                SELECT EXISTS (
                    SELECT FROM orders.deliveries WHERE jsonb_typeof(drop_off) = 'object'
                        OR snapshot #>> '{courier,phone}' !~ \(Self.sealedNumber)::text
                ) OR EXISTS (SELECT FROM orders.couriers WHERE snapshot->>'phone' !~ \(Self.sealedNumber)::text)
                    OR EXISTS (SELECT FROM orders.store_couriers WHERE snapshot->>'phone' !~ \(Self.sealedNumber)::text)
                    AS readable
                """)[0].decode("readable")
        } catch let error as PostgresError where error.sqlState == Self.undefinedTable {
            return false
        }
    }

    /// How `orders` writes a number that is sealed.
    private static let sealedNumber = "^[0-9]{1,3}:[A-Za-z0-9_-]{40,}$"
    private static let undefinedTable = "42P01"
}
