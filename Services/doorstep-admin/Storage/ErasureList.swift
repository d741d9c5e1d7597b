import Foundation
import Messages
import OrderDomain
import PostgresClient
import TextCoding

/// The erased persons of a stack, and which of a list a restored database knows.
struct ErasureList: Sendable {
    /// Persons that are compared with the list at once.
    private static let pageMax = 10_000

    let pool: PostgresPool

    /// A person of a list who is in the database.
    struct Known: Hashable {
        let person: RequestedPerson
        /// Whether everything of theirs is from before the erasure.
        let isOlder: Bool

        /// Why a newer one is left as it is.
        var newerText: String {
            switch person {
            case .customer(let id):
                "customer \(id) was erased, and has ordered since: left as it is, erase by hand"
            case .courier(let id):
                "courier \(id) was erased, and has been assigned or described since: left as it is, erase by hand"
            }
        }
    }

    /// The erasures that are done or still run, the last of each person, by their time.
    func erasures() async throws -> [ListedErasure] {
        try await pool.query(
            """
            SELECT person_hash, max(requested_at) AS erased_at FROM orders.person_requests
            GROUP BY person_hash ORDER BY erased_at, person_hash
            """
        ).map { ListedErasure(person: try $0.decode("person_hash"), erasedAt: try $0.decode("erased_at")) }
    }

    /// The persons of the list who are in the database.
    func known(_ erasures: [ListedErasure], by hash: KeyedHash) async throws -> [Known] {
        let times = Dictionary(erasures.map { ($0.person, $0.erasedAt) }, uniquingKeysWith: max)
        let customers = try await known(times, by: hash, hashing: { $0 }, page: customers(after:)) { id in
            CustomerID(rawValue: id).map { .customer($0) }
        }
        let couriers = try await known(times, by: hash, hashing: { "courier/\($0)" }, page: couriers(after:)) { id in
            CourierID(rawValue: id).map { .courier($0) }
        }
        return customers + couriers
    }

    /// - Parameters:
    ///   - hashing: the text that `orders` hashes of an id.
    ///   - page: a query for the next ids, in their order, each with the time of what is newest of the person.
    private func known(
        _ times: [String: Date], by hash: KeyedHash, hashing text: (String) -> String, page: (String) -> SQL,
        person: (String) -> RequestedPerson?
    ) async throws -> [Known] {
        var known: [Known] = []
        var last = ""
        while true {
            let rows = try await pool.query(page(last))
            for row in rows {
                let id: String = try row.decode("person_id")
                last = id
                guard let person = person(id),
                    let erasedAt = hash.all(text(id)).compactMap({ times[$0] }).max()
                else { continue }
                let newest = try row.decode("newest", as: Date?.self)
                known.append(Known(person: person, isOlder: newest.map { $0 < erasedAt } ?? true))
            }
            if rows.count < Self.pageMax { return known }
        }
    }

    private func customers(after customer: String) -> SQL {
        """
        SELECT customer_id AS person_id, (SELECT max(placed_at) FROM orders.orders WHERE orders.customer_id = known.customer_id)
            AS newest
        FROM (
            SELECT customer_id FROM orders.deliveries UNION SELECT customer_id FROM courier_eta.deliveries
            UNION SELECT customer_id FROM activity_dispatch.customers
        ) AS known
        WHERE customer_id > \(customer) ORDER BY customer_id LIMIT \(Self.pageMax)
        """
    }

    private func couriers(after courier: String) -> SQL {
        """
        SELECT courier_id AS person_id, greatest(
            (SELECT max(described_at) FROM orders.couriers WHERE couriers.courier_id = known.courier_id),
            (SELECT max(described_at) FROM orders.store_couriers WHERE store_couriers.courier_id = known.courier_id),
            (SELECT max(courier_since) FROM courier_eta.deliveries WHERE deliveries.courier_id = known.courier_id),
            (SELECT max(began_at) FROM courier_eta.duties WHERE duties.courier_id = known.courier_id),
            (SELECT max(placed_at) FROM orders.deliveries JOIN orders.orders USING (order_id)
                WHERE deliveries.courier_id = known.courier_id))
            AS newest
        FROM (
            SELECT courier_id FROM orders.deliveries WHERE courier_id IS NOT NULL
            UNION SELECT courier_id FROM orders.couriers UNION SELECT courier_id FROM orders.store_couriers
            UNION SELECT courier_id FROM courier_eta.couriers UNION SELECT courier_id FROM courier_eta.phones
            UNION SELECT courier_id FROM courier_eta.deliveries WHERE courier_id IS NOT NULL
            UNION SELECT courier_id FROM courier_eta.duties UNION SELECT courier_id FROM courier_eta.map_exemptions
            UNION SELECT substr(changed_by, 9) FROM orders.timeline WHERE starts_with(changed_by, 'courier ')
            UNION SELECT reversal->'courier'->'value'->>'id' FROM orders.timeline
                WHERE reversal->'courier'->'value'->>'id' IS NOT NULL
            UNION SELECT reversal->'fetchedFrom'->'value'->>'id' FROM orders.timeline
                WHERE reversal->'fetchedFrom'->'value'->>'id' IS NOT NULL
            UNION SELECT former FROM orders.deliveries, LATERAL (VALUES (snapshot->'fetchedFrom'->>'id'),
                (snapshot->>'brokenDownCourier'), (snapshot->'proof'->'claim'->'courier'->>'id')) AS others (former)
                WHERE former IS NOT NULL
            UNION SELECT courier_id FROM orders.courier_presses UNION SELECT courier_id FROM orders.courier_links
        ) AS known
        WHERE courier_id > \(courier) ORDER BY courier_id LIMIT \(Self.pageMax)
        """
    }
}
