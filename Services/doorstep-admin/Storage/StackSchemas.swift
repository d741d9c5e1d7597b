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

    /// Whether the drop-off of a live delivery is stored readable.
    func hasReadableDropOffs() async throws -> Bool {
        try await pool.query(
            """
            SELECT EXISTS (
                SELECT FROM orders.deliveries WHERE ended_at IS NULL AND jsonb_typeof(drop_off) = 'object') AS readable
            """)[0].decode("readable")
    }
}
