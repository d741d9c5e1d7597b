import Foundation
import OrderDomain
import PostgresClient

/// The SQL of requests to erase customers.
enum PersonRequestRepository {
    private static let columns: SQL =
        "person_request_id, customer_id, pseudonym, store_id, requested_by, requested_at, finished_at, receipts"

    // MARK: Requests

    static func request(_ id: UUID, on database: some PostgresExecutor) async throws -> PersonRequest? {
        try await database.query("SELECT \(sql: columns) FROM person_requests WHERE person_request_id = \(id)")
            .first.map(request)
    }

    static func running(of customer: CustomerID, on database: some PostgresExecutor) async throws -> PersonRequest? {
        try await database.query(
            "SELECT \(sql: columns) FROM person_requests WHERE customer_id = \(customer.rawValue)"
        ).first.map(request)
    }

    /// The last request about the person of one of the hashes.
    static func last(of hashes: [String], on database: some PostgresExecutor) async throws -> PersonRequest? {
        try await database.query(
            """
            SELECT \(sql: columns) FROM person_requests WHERE person_hash = ANY(\(hashes)::text[])
            ORDER BY requested_at DESC LIMIT 1
            """
        ).first.map(request)
    }

    static func insert(_ request: PersonRequest, hash: String) -> SQL {
        """
        INSERT INTO person_requests (person_request_id, kind, customer_id, person_hash, pseudonym, store_id,
            requested_by, requested_at)
        VALUES (\(request.id), 'erase', \(request.customer?.rawValue), \(hash), \(request.pseudonym.rawValue),
            \(request.store?.rawValue), \(request.requestedBy), \(request.requestedAt))
        """
    }

    private static func request(_ row: PostgresRow) throws -> PersonRequest {
        PersonRequest(
            id: try row.decode("person_request_id"),
            customer: try row.decode("customer_id", as: String?.self).flatMap(CustomerID.init(rawValue:)),
            pseudonym: try row.identifier("pseudonym"),
            store: try row.decode("store_id", as: String?.self).flatMap(StoreID.init(rawValue:)),
            requestedBy: try row.decode("requested_by"), requestedAt: try row.decode("requested_at"),
            finishedAt: try row.decode("finished_at"), receipts: try row.decodeJSON("receipts"))
    }

    // MARK: Work

    /// Leases the running request that is due first, so that no other replica continues it meanwhile.
    static func lease(_ lease: UUID, for duration: Duration, on pool: PostgresPool) async throws -> PersonRequest? {
        try await RequestLease.erasures.next(lease, for: duration, returning: columns, on: pool).map(request)
    }

    /// Stores receipts, and when the request is continued.
    ///
    /// - Returns: false where another replica has leased the request since.
    static func store(
        _ receipts: PersonRequest.Receipts, of id: UUID, by lease: UUID, dueIn pause: Duration,
        on database: some PostgresExecutor
    ) async throws -> Bool {
        try await RequestLease.erasures.store(receipts, of: id, by: lease, dueIn: pause, on: database)
    }

    /// Ends a request: of its person the hash stays.
    static func finish(_ id: UUID, at now: Date, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(
            """
            UPDATE person_requests SET customer_id = NULL, finished_at = \(now), lease = NULL
            WHERE person_request_id = \(id)
            """)
    }

    /// Wall time until the next running request is due; nil without one.
    static func nextDue(on pool: PostgresPool) async throws -> Duration? {
        try await RequestLease.erasures.nextDue(on: pool)
    }
}
