import Crypto
import Foundation
import PostgresClient

/// The first answer to each idempotency key, kept for two days in the transaction that it answers for.
enum IdempotentAnswers {
    /// Hours that an answer is kept at least (the published policy).
    static let keptHours = 48

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

    struct Answer: Sendable {
        let status: Int
        let body: Data
    }

    enum Conflict: Error, Hashable, Sendable {
        /// The key came before with another body.
        case keyReused
        /// The first attempt is still being answered.
        case inFlight
    }

    /// The answer given before; nil when this attempt is the first, which then holds the key until it commits.
    static func begin(_ request: Request, in transaction: PostgresTransaction) async throws -> Answer? {
        let lock = "\(request.principal)\u{1F}\(request.route)\u{1F}\(request.key)"
        let locked = try await transaction.query(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || \(lock), 0)) AS won")
        guard try locked.first?.decode("won", as: Bool.self) == true else { throw Conflict.inFlight }
        let kept = try await transaction.query(
            """
            SELECT fingerprint, status, body FROM idempotency_keys
            WHERE principal = \(request.principal) AND route = \(request.route) AND key = \(request.key)
            """)
        guard let row = kept.first else { return nil }
        guard try row.decode("fingerprint", as: [UInt8].self) == request.fingerprint else { throw Conflict.keyReused }
        return Answer(status: try row.decode("status"), body: Data(try row.decode("body", as: [UInt8].self)))
    }

    static func keep(_ answer: Answer, for request: Request) -> SQL {
        """
        INSERT INTO idempotency_keys (principal, route, key, fingerprint, status, body)
        VALUES (\(request.principal), \(request.route), \(request.key), \(request.fingerprint), \(answer.status),
            \([UInt8](answer.body)))
        """
    }
}
