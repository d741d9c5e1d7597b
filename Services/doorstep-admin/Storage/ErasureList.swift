import Foundation
import Messages
import OrderDomain
import PostgresClient
import TextCoding

/// The erased persons of a stack, and which of a list a restored database knows.
struct ErasureList: Sendable {
    /// Persons that are compared with the list at once.
    static let pageMax = 10_000

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
    ///
    /// A cursor reads each table once, since one may have tens of millions of rows.
    func known(_ erasures: [ListedErasure], by hash: KeyedHash) async throws -> [Known] {
        let times = Dictionary(erasures.map { ($0.person, $0.erasedAt) }, uniquingKeysWith: max)
        return try await pool.withTransaction { transaction in
            let customers = try await known(
                Self.customers, named: "customers", newest: Self.newestOfCustomer, in: transaction
            ) { id in
                hash.all(id).compactMap { times[$0] }.max()
            } person: { id in
                CustomerID(rawValue: id).map { .customer($0) }
            }
            let couriers = try await known(
                Self.couriers, named: "couriers", newest: Self.newestOfCourier, in: transaction
            ) { id in
                // As `orders` hashes the id of a courier.
                hash.all("courier/\(id)").compactMap { times[$0] }.max()
            } person: { id in
                CourierID(rawValue: id).map { .courier($0) }
            }
            return customers + couriers
        }
    }

    /// - Parameters:
    ///   - ids: a query for the `person_id` of every person in the database.
    ///   - cursor: a name of its own for the query's cursor.
    ///   - newest: the time of what is newest of the person `known.person_id`.
    ///   - erasedAt: when the list has a person as erased; nil for all others.
    private func known(
        _ ids: SQL, named cursor: String, newest: SQL, in transaction: PostgresTransaction,
        erasedAt: @Sendable (String) -> Date?, person: @Sendable (String) -> RequestedPerson?
    ) async throws -> [Known] {
        try await transaction.execute("DECLARE \(raw: cursor) NO SCROLL CURSOR FOR \(sql: ids)")
        var times: [String: Date] = [:]
        var isRead = false
        while !isRead {
            let rows = try await transaction.query("FETCH \(raw: String(Self.pageMax)) FROM \(raw: cursor)")
            for row in rows {
                let id: String = try row.decode("person_id")
                times[id] = erasedAt(id)
            }
            isRead = rows.count < Self.pageMax
        }
        return try await transaction.query(
            """
            SELECT person_id, \(sql: newest) AS newest FROM unnest(\(Array(times.keys))::text[]) AS known (person_id)
            ORDER BY person_id
            """
        ).compactMap { row in
            let id: String = try row.decode("person_id")
            guard let person = person(id), let erasedAt = times[id] else { return nil }
            let newest = try row.decode("newest", as: Date?.self)
            return Known(person: person, isOlder: newest.map { $0 < erasedAt } ?? true)
        }
    }

    static let customers: SQL = """
        SELECT customer_id AS person_id FROM orders.deliveries UNION SELECT customer_id FROM courier_eta.deliveries
        UNION SELECT customer_id FROM activity_dispatch.customers \(sql: read("customers"))
        """

    private static let newestOfCustomer: SQL =
        "(SELECT max(placed_at) FROM orders.orders WHERE orders.customer_id = known.person_id)"

    static let couriers: SQL = """
        SELECT named.courier_id AS person_id FROM orders.deliveries, LATERAL (VALUES (deliveries.courier_id),
            (snapshot->'fetchedFrom'->>'id'), (snapshot->>'brokenDownCourier'),
            (snapshot->'courierReports'->'assignment'->>'courier'),
            (snapshot->'courierReports'->'progress'->>'courier'),
            (snapshot->'proof'->'claim'->'courier'->>'id')
            UNION ALL SELECT substr(author #>> '{}', 9)
                FROM jsonb_path_query(snapshot->'proof', '$.**.by ? (@ starts with "courier ")') AS author
            ) AS named (courier_id)
            WHERE named.courier_id IS NOT NULL
        UNION SELECT named.courier_id FROM orders.timeline, LATERAL (VALUES
            (CASE WHEN starts_with(changed_by, 'courier ') THEN substr(changed_by, 9) END),
            (reversal->'courier'->'value'->>'id'), (reversal->'fetchedFrom'->'value'->>'id')) AS named (courier_id)
            WHERE named.courier_id IS NOT NULL
        UNION SELECT courier_id FROM orders.couriers UNION SELECT courier_id FROM orders.store_couriers
        UNION SELECT courier_id FROM orders.courier_presses UNION SELECT courier_id FROM orders.courier_links
        UNION SELECT courier_id FROM courier_eta.couriers UNION SELECT courier_id FROM courier_eta.phones
        UNION SELECT courier_id FROM courier_eta.deliveries WHERE courier_id IS NOT NULL
        UNION SELECT courier_id FROM courier_eta.duties UNION SELECT courier_id FROM courier_eta.map_exemptions
        \(sql: read("couriers"))
        """

    /// The persons whom the services' access logs name: the parts of a `UNION`.
    private static func read(_ persons: SQL) -> SQL {
        """
        UNION SELECT unnest(\(sql: persons)) FROM orders.personal_reads
        UNION SELECT unnest(\(sql: persons)) FROM courier_eta.personal_reads
        UNION SELECT unnest(\(sql: persons)) FROM activity_dispatch.personal_reads
        UNION SELECT unnest(\(sql: persons)) FROM desk.personal_reads
        UNION SELECT unnest(\(sql: persons)) FROM partners.personal_reads
        """
    }

    private static let newestOfCourier: SQL = """
        greatest(
            (SELECT max(described_at) FROM orders.couriers WHERE couriers.courier_id = known.person_id),
            (SELECT max(described_at) FROM orders.store_couriers WHERE store_couriers.courier_id = known.person_id),
            (SELECT max(courier_since) FROM courier_eta.deliveries WHERE deliveries.courier_id = known.person_id),
            (SELECT max(began_at) FROM courier_eta.duties WHERE duties.courier_id = known.person_id),
            (SELECT max(placed_at) FROM orders.deliveries JOIN orders.orders USING (order_id)
                WHERE deliveries.courier_id = known.person_id))
        """
}
