import Foundation
import OrderDomain
import PostgresClient
import TextCoding

/// The erased customers of a stack, and which of a list a restored database knows.
struct ErasureList: Sendable {
    /// Customers that are compared with the list at once.
    private static let pageMax = 10_000

    let pool: PostgresPool

    /// A customer of a list who is in the database.
    struct Known: Hashable, Sendable {
        let customer: CustomerID
        /// Whether everything of theirs is from before the erasure.
        let isOlder: Bool
    }

    /// The erasures that are done, the last of each customer, by their time.
    func erasures() async throws -> [ListedErasure] {
        try await pool.query(
            """
            SELECT person_hash, max(requested_at) AS erased_at FROM orders.person_requests
            WHERE finished_at IS NOT NULL GROUP BY person_hash ORDER BY erased_at, person_hash
            """
        ).map { ListedErasure(person: try $0.decode("person_hash"), erasedAt: try $0.decode("erased_at")) }
    }

    /// The customers of the list who are in the database.
    func known(_ erasures: [ListedErasure], by hash: KeyedHash) async throws -> [Known] {
        let times = Dictionary(erasures.map { ($0.person, $0.erasedAt) }, uniquingKeysWith: max)
        var known: [Known] = []
        var last = ""
        while true {
            let rows = try await pool.query(page(after: last))
            for row in rows {
                let customer: String = try row.decode("customer_id")
                last = customer
                guard let id = CustomerID(rawValue: customer),
                    let erasedAt = hash.all(customer).compactMap({ times[$0] }).max()
                else { continue }
                let newest = try row.decode("newest", as: Date?.self)
                known.append(Known(customer: id, isOlder: newest.map { $0 < erasedAt } ?? true))
            }
            if rows.count < Self.pageMax { return known }
        }
    }

    private func page(after customer: String) -> SQL {
        """
        SELECT customer_id, (SELECT max(placed_at) FROM orders.orders WHERE orders.customer_id = known.customer_id)
            AS newest
        FROM (
            SELECT customer_id FROM orders.deliveries UNION SELECT customer_id FROM courier_eta.deliveries
            UNION SELECT customer_id FROM activity_dispatch.customers
        ) AS known
        WHERE customer_id > \(customer) ORDER BY customer_id LIMIT \(Self.pageMax)
        """
    }
}
