import Foundation
import OrderDomain
import PostgresClient

/// The SQL by which one replica at a time continues a request about a person.
struct RequestLease: Sendable {
    static let erasures = RequestLease(table: "person_requests")
    static let exports = RequestLease(table: "person_exports")

    private let table: SQL

    private init(table: SQL) { self.table = table }

    /// Leases the running request that is due first, so that no other replica continues it meanwhile.
    ///
    /// - Parameter columns: those of the returned row.
    func next(_ lease: UUID, for duration: Duration, returning columns: SQL, on pool: PostgresPool) async throws
        -> PostgresRow?
    {
        try await pool.query(
            """
            UPDATE \(sql: table) SET lease = \(lease),
                leased_until = clock_timestamp() + make_interval(secs => \(duration / .seconds(1)))
            WHERE person_request_id = (
                SELECT person_request_id FROM \(sql: table)
                WHERE finished_at IS NULL AND leased_until <= clock_timestamp()
                ORDER BY leased_until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
            RETURNING \(sql: columns)
            """
        ).first
    }

    /// Stores receipts, and when the request is continued.
    ///
    /// - Returns: false where another replica has leased the request since, or it is deleted.
    func store(
        _ receipts: PersonRequest.Receipts, of id: UUID, by lease: UUID, dueIn pause: Duration,
        on database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            UPDATE \(sql: table) SET receipts = \(try OrderRepository.json(receipts))::jsonb,
                leased_until = clock_timestamp() + make_interval(secs => \(pause / .seconds(1)))
            WHERE person_request_id = \(id) AND lease = \(lease)
            """) > 0
    }

    /// Wall time until the next running request is due; nil without one.
    func nextDue(on pool: PostgresPool) async throws -> Duration? {
        let rows = try await pool.query(
            """
            SELECT extract(epoch FROM leased_until - clock_timestamp())::double precision AS seconds
            FROM \(sql: table) WHERE finished_at IS NULL ORDER BY leased_until LIMIT 1
            """)
        return try rows.first.map { .seconds(max(0.1, try $0.decode("seconds", as: Double.self))) }
    }
}
