import Foundation
import OrderDomain
import PostgresClient

/// The first response to each idempotency key, stored in the transaction of the request that it responds to.
enum IdempotencyKeys {
    /// The response to an earlier attempt; nil for the first attempt, which locks the key until its transaction ends.
    ///
    /// - Throws: `IdempotentRequest.Conflict`, or a database error.
    static func begin(
        _ request: IdempotentRequest, in transaction: PostgresTransaction
    ) async throws -> StoredResponse? {
        let lock = "\(request.principal)\u{1F}\(request.route)\u{1F}\(request.key)"
        let locked = try await transaction.query(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || \(lock), 0)) AS won")
        guard try locked.first?.decode("won", as: Bool.self) == true else { throw IdempotentRequest.Conflict.inFlight }
        let stored = try await transaction.query(
            """
            SELECT fingerprint, status, body FROM idempotency_keys
            WHERE principal IN (\(request.principal), \(request.withoutStore)) AND route = \(request.route)
                AND key = \(request.key) AND (principal = \(request.principal) OR fingerprint = \(request.fingerprint))
            ORDER BY fingerprint = \(request.fingerprint) DESC LIMIT 1
            """)
        guard let row = stored.first else { return nil }
        guard try row.decode("fingerprint", as: [UInt8].self) == request.fingerprint else {
            throw IdempotentRequest.Conflict.keyReused
        }
        return try StoredResponse(row)
    }

    static func insert(_ response: StoredResponse, to request: IdempotentRequest, of order: OrderID) -> SQL {
        """
        INSERT INTO idempotency_keys (principal, route, key, fingerprint, status, body, order_id)
        VALUES (\(request.principal), \(request.route), \(request.key), \(request.fingerprint), \(response.status),
            \([UInt8](response.body)), \(order.rawValue))
        """
    }
}

extension StoredResponse {
    /// Reads the columns `status` and `body`.
    init(_ row: PostgresRow) throws {
        self.init(status: try row.decode("status"), body: Data(try row.decode("body", as: [UInt8].self)))
    }
}
