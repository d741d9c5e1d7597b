import Foundation
import OrderDomain
import PostgresClient

/// The SQL of requests to erase persons.
enum PersonRequestRepository {
    private static let columns: SQL = """
        person_request_id, person, customer_id, courier_id, courier_texts, pseudonym, store_id, requested_by,
        requested_at, finished_at, receipts
        """

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
        INSERT INTO person_requests (person_request_id, kind, person, customer_id, courier_id, person_hash, pseudonym,
            store_id, requested_by, requested_at)
        VALUES (\(request.id), 'erase', \(request.person.rawValue), \(request.customer?.rawValue),
            \(request.courier?.id.rawValue), \(hash), \(request.pseudonym.rawValue), \(request.store?.rawValue),
            \(request.requestedBy), \(request.requestedAt))
        """
    }

    static func running(of courier: CourierID, on database: some PostgresExecutor) async throws -> PersonRequest? {
        try await database.query("SELECT \(sql: columns) FROM person_requests WHERE courier_id = \(courier.rawValue)")
            .first.map(request)
    }

    private static func request(_ row: PostgresRow) throws -> PersonRequest {
        PersonRequest(
            id: try row.decode("person_request_id"),
            person: PersonRequest.Person(rawValue: try row.decode("person")) ?? .customer,
            customer: try row.decode("customer_id", as: String?.self).flatMap(CustomerID.init(rawValue:)),
            courier: try courier(row), pseudonym: try row.identifier("pseudonym"),
            store: try row.decode("store_id", as: String?.self).flatMap(StoreID.init(rawValue:)),
            requestedBy: try row.decode("requested_by"), requestedAt: try row.decode("requested_at"),
            finishedAt: try row.decode("finished_at"), receipts: try row.decodeJSON("receipts"))
    }

    private static func courier(_ row: PostgresRow) throws -> ErasedCourier? {
        guard let id = try row.decode("courier_id", as: String?.self).flatMap(CourierID.init(rawValue:)) else {
            return nil
        }
        let texts =
            try row.decode("courier_texts", as: String?.self) == nil
            ? CourierTexts() : row.decodeJSON("courier_texts", as: CourierTexts.self)
        return ErasedCourier(
            id: id, pseudonym: try row.identifier("pseudonym"), names: texts.names.sorted(),
            phones: texts.phones.sorted())
    }

    // MARK: Work

    /// As ``RequestLease/next(_:for:returning:on:)``.
    static func lease(_ lease: UUID, for duration: Duration, on pool: PostgresPool) async throws -> PersonRequest? {
        try await RequestLease.erasures.next(lease, for: duration, returning: columns, on: pool).map(request)
    }

    /// Stores the receipts of a request that no replica continues yet.
    static func set(_ receipts: PersonRequest.Receipts, of id: UUID) throws -> SQL {
        """
        UPDATE person_requests SET receipts = \(try OrderRepository.json(receipts))::jsonb
        WHERE person_request_id = \(id)
        """
    }

    /// Ends a request: of its person the hash stays.
    static func finish(_ id: UUID, at now: Date, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(
            """
            UPDATE person_requests SET customer_id = NULL, courier_id = NULL, courier_texts = NULL,
                finished_at = \(now), lease = NULL
            WHERE person_request_id = \(id)
            """)
    }
}
