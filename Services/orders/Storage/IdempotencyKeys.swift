import Crypto
import Foundation
import PostgresClient

/// The first response to each idempotency key, stored in the transaction of the request that it responds to.
enum IdempotencyKeys {
    /// Hours that a response is stored at least (the published policy).
    static let retentionHours = 48

    /// One attempt of one principal at one route.
    struct Request: Sendable {
        let principal: String
        let route: String
        let key: String
        /// SHA-256 of the body's bytes.
        let fingerprint: [UInt8]

        init(principal: String, route: String, key: String, body: Data) {
            self.principal = principal
            self.route = route
            self.key = key
            fingerprint = Array(SHA256.hash(data: body))
        }
    }

    enum Conflict: Error, Hashable, Sendable {
        /// The key was used before with another body.
        case keyReused
        /// The first attempt with this key is still running.
        case inFlight
    }

    /// The response to an earlier attempt; nil for the first attempt, which locks the key until its transaction ends.
    ///
    /// - Throws: `Conflict`, or a database error.
    static func begin(_ request: Request, in transaction: PostgresTransaction) async throws -> StoredResponse? {
        let lock = "\(request.principal)\u{1F}\(request.route)\u{1F}\(request.key)"
        let locked = try await transaction.query(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || \(lock), 0)) AS won")
        guard try locked.first?.decode("won", as: Bool.self) == true else { throw Conflict.inFlight }
        let stored = try await transaction.query(
            """
            SELECT fingerprint, status, body FROM idempotency_keys
            WHERE principal = \(request.principal) AND route = \(request.route) AND key = \(request.key)
            """)
        guard let row = stored.first else { return nil }
        guard try row.decode("fingerprint", as: [UInt8].self) == request.fingerprint else { throw Conflict.keyReused }
        return try StoredResponse(row)
    }

    static func insert(_ response: StoredResponse, to request: Request) -> SQL {
        """
        INSERT INTO idempotency_keys (principal, route, key, fingerprint, status, body)
        VALUES (\(request.principal), \(request.route), \(request.key), \(request.fingerprint), \(response.status),
            \([UInt8](response.body)))
        """
    }
}
