import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// The SQL of requests to erase a courier: whose the courier is, the deliveries of a request, and how far it is.
enum CourierErasureRepository {
    /// Deliveries in which the pseudonym is put at once.
    static let deliveriesMax = 50
    /// Bytes of the deliveries of one part for another service, unless a single one has more: a message may have 1 MB.
    private static let replacedBytesMax = 256 << 10

    /// The numbers of rows about a courier, and the courier's live deliveries.
    struct Counts: Sendable {
        /// Deliveries, and descriptions by a store or the shop.
        let all: Int
        /// The same of the asked store.
        let ofStore: Int
        /// Deliveries of the asked store.
        let deliveriesOfStore: Int
        /// Live deliveries that are assigned, with the goods still in their store.
        let assigned: [DeliveryID]
        /// Live deliveries whose goods the courier has.
        let carried: [DeliveryID]

        var live: [DeliveryID] { (assigned + carried).sorted() }
    }

    /// Counts what is known of the courier, by indexes.
    ///
    /// - Parameter store: nil counts every store's.
    static func counts(
        of courier: CourierID, at store: StoreID?, on database: some PostgresExecutor
    ) async throws -> Counts {
        let id = courier.rawValue
        let row = try await database.query(
            """
            WITH known AS (
                SELECT store_id, true AS is_delivery FROM deliveries WHERE courier_id = \(id)
                UNION ALL SELECT store_id, false FROM store_couriers WHERE courier_id = \(id)
                UNION ALL SELECT NULL, false FROM couriers WHERE courier_id = \(id) AND is_shop_wide
            ), live AS (
                SELECT delivery_id, courier_status IS NOT NULL AS is_assigned FROM deliveries
                WHERE ended_at IS NULL AND courier_id = \(id)
            )
            SELECT count(*) AS all, count(*) FILTER (WHERE store_id = coalesce(\(store?.rawValue), store_id)) AS of_store,
                count(*) FILTER (WHERE is_delivery AND store_id = coalesce(\(store?.rawValue), store_id))
                    AS deliveries_of_store,
                (SELECT coalesce(string_agg(delivery_id, ' '), '') FROM live WHERE is_assigned) AS assigned,
                (SELECT coalesce(string_agg(delivery_id, ' '), '') FROM live WHERE NOT is_assigned) AS carried
            FROM known
            """)[0]
        func deliveries(_ column: String) throws -> [DeliveryID] {
            try row.decode(column, as: String.self).split(separator: " ").compactMap {
                DeliveryID(rawValue: String($0))
            }
        }
        return Counts(
            all: try row.decode("all"), ofStore: try row.decode("of_store"),
            deliveriesOfStore: try row.decode("deliveries_of_store"), assigned: try deliveries("assigned"),
            carried: try deliveries("carried"))
    }

    /// Live deliveries of other couriers, who are to fetch the goods from this one, with their stores.
    ///
    /// - Parameter deliveries: nil reads every live delivery, which no transaction with locks should wait for.
    static func fetched(
        from courier: CourierID, among deliveries: [DeliveryID]? = nil, on database: some PostgresExecutor
    ) async throws -> [(delivery: DeliveryID, store: StoreID)] {
        let among: SQL = deliveries.map { "AND delivery_id = ANY(\($0.map(\.rawValue))::text[])" } ?? ""
        return try await database.query(
            """
            SELECT delivery_id, store_id FROM deliveries
            WHERE ended_at IS NULL AND snapshot->'fetchedFrom'->>'id' = \(courier.rawValue) \(sql: among)
            ORDER BY delivery_id
            """
        ).map { (try $0.identifier("delivery_id"), try $0.identifier("store_id")) }
    }

    /// Makes other requests about the courier wait until the transaction ends.
    static func lockRequests(about courier: CourierID) -> SQL {
        "SELECT pg_advisory_xact_lock(hashtextextended(\(courier.rawValue), 2))"
    }

    /// Locks the courier's deliveries, in the order of all changes; other requests about the courier wait.
    static func lock(_ courier: CourierID, in transaction: PostgresTransaction) async throws {
        _ = try await transaction.batch([
            lockRequests(about: courier),
            """
            SELECT FROM deliveries WHERE courier_id = \(courier.rawValue) ORDER BY delivery_id FOR NO KEY UPDATE
            """,
        ])
    }

    /// The names and numbers in descriptions and in deliveries of the courier.
    static func texts(
        of courier: CourierID, by box: PersonalDataBox, on database: some PostgresExecutor
    ) async throws -> CourierTexts {
        let id = courier.rawValue
        let rows = try await database.query(
            """
            SELECT DISTINCT described->>'name' AS name, described->>'phone' AS phone FROM (
                SELECT snapshot AS described FROM couriers WHERE courier_id = \(id)
                UNION ALL SELECT snapshot FROM store_couriers WHERE courier_id = \(id)
                UNION ALL SELECT snapshot->'courier' FROM deliveries WHERE courier_id = \(id)
            ) AS descriptions
            """)
        return try rows.reduce(into: CourierTexts()) { texts, row in
            texts.add(
                name: try row.decode("name"), phone: try box.written(number: row.decode("phone"), of: courier),
                of: courier)
        }
    }

    /// Notes the request's deliveries, and deletes the courier's descriptions and link.
    ///
    /// - Returns: the last entry of the timeline, up to which former assignments are searched.
    static func accept(
        _ request: UUID, of courier: CourierID, texts: CourierTexts, from rows: inout ErasedRows
    ) async throws -> Int {
        let id = courier.rawValue
        let results = try await rows.transaction.batch([
            """
            INSERT INTO courier_erasures (person_request_id, delivery_id, assignment_epoch)
            SELECT \(request)::uuid, delivery_id, \(sql: epoch) FROM deliveries WHERE courier_id = \(id)
            """,
            try set(texts, of: request),
            "SELECT coalesce(max(timeline_id), 0) AS last FROM timeline",
        ])
        for table in ["couriers", "store_couriers", "courier_links"] {
            try await rows.erase(table, "DELETE FROM \(sql: .identifier(table)) WHERE courier_id = \(id)")
        }
        return try results[2].rows[0].decode("last")
    }

    /// The delivery's assignment: the same courier has another one after a new assignment of the id.
    static let epoch: SQL = "coalesce((snapshot->>'assignmentEpoch')::integer, 0)"

    static func set(_ texts: CourierTexts, of request: UUID) throws -> SQL {
        """
        UPDATE person_requests SET courier_texts = \(try OrderRepository.json(texts))::jsonb
        WHERE person_request_id = \(request)
        """
    }

    // MARK: Parts

    /// Deliveries of the request in which the courier still is, locked.
    struct Unreplaced: Sendable {
        var ids: [String] = []
        var records: [DeliveryRecord] = []
        /// The assignments of the request.
        var epochs: [DeliveryID: Int] = [:]
        /// Whether every other one waits for the erasure of its customer.
        var isWaiting = false
    }

    /// The next deliveries of the request in which the courier still is.
    ///
    /// One whose customer is being erased is passed over until that is done: other services have it without the
    /// customer at its present version, and a later one would bring the customer back.
    static func unreplaced(of request: UUID, in transaction: PostgresTransaction) async throws -> Unreplaced {
        let found = try await transaction.query(
            """
            SELECT delivery_id, assignment_epoch FROM courier_erasures
            WHERE person_request_id = \(request) AND NOT is_replaced
                AND delivery_id NOT IN (\(sql: frozen(of: request)))
            ORDER BY delivery_id LIMIT \(deliveriesMax)
            """)
        var epochs: [DeliveryID: Int] = [:]
        for row in found {
            epochs[try row.identifier("delivery_id")] = try row.decode("assignment_epoch", as: Int.self)
        }
        let ids = epochs.keys.sorted()
        guard !ids.isEmpty else {
            let left = try await transaction.query(
                "SELECT FROM courier_erasures WHERE person_request_id = \(request) AND NOT is_replaced LIMIT 1")
            return Unreplaced(isWaiting: !left.isEmpty)
        }
        let records = try await OrderRepository.lockedDeliveries(
            ids, erasedToo: true, opening: nil, in: transaction)
        // The erasure of a customer may have begun before the lock.
        let frozen = Set(
            try await transaction.query(frozen(of: request)).map { try $0.decode("delivery_id", as: String.self) })
        return Unreplaced(
            ids: ids.map(\.rawValue).filter { !frozen.contains($0) },
            records: records.filter { !frozen.contains($0.delivery.id.rawValue) }, epochs: epochs)
    }

    /// The request's deliveries whose customers are being erased.
    private static func frozen(of request: UUID) -> SQL {
        """
        SELECT delivery_id FROM courier_erasures JOIN deliveries USING (delivery_id)
            JOIN person_requests ON person_requests.customer_id = deliveries.customer_id
        WHERE courier_erasures.person_request_id = \(request) AND deliveries.erased_at IS NOT NULL
        """
    }

    static func setReplaced(_ ids: [String], of request: UUID) -> SQL {
        """
        UPDATE courier_erasures SET is_replaced = true
        WHERE person_request_id = \(request) AND delivery_id = ANY(\(ids)::text[])
        """
    }

    /// Deliveries of the request after one of them by id, as they are now.
    ///
    /// The page is of the request's own list, which does not change: one with the same last delivery has the same
    /// deliveries, or fewer.
    /// - Returns: without those that are gone, or that a new courier with the id has since; with full baskets fewer than
    ///   `limit`, so that a message holds them.
    static func replaced(
        of request: UUID, _ courier: CourierID, after id: String, limit: Int, on database: some PostgresExecutor
    ) async throws -> (deliveries: [Delivery], last: String?, isLast: Bool) {
        let rows = try await database.query(
            """
            SELECT courier_erasures.delivery_id,
                CASE WHEN courier_id IS DISTINCT FROM \(courier.rawValue) THEN snapshot END AS snapshot
            FROM courier_erasures LEFT JOIN deliveries USING (delivery_id)
            WHERE person_request_id = \(request) AND courier_erasures.delivery_id > \(id)
            ORDER BY courier_erasures.delivery_id LIMIT \(limit)
            """)
        var bytes = 0
        let fitting = try rows.prefix { row in
            let isFirst = bytes == 0
            bytes += try row.decode("snapshot", as: String?.self)?.utf8.count ?? 0
            return isFirst || bytes <= replacedBytesMax
        }
        let deliveries = try fitting.compactMap { row -> Delivery? in
            guard try row.decode("snapshot", as: String?.self) != nil else { return nil }
            return try row.decodeJSON("snapshot")
        }
        return (
            deliveries, try fitting.last?.decode("delivery_id", as: String.self),
            rows.count < limit && fitting.count == rows.count
        )
    }

    /// Whether a customer of one of the deliveries is being erased.
    ///
    /// Other services are given the customer's deliveries without the customer meanwhile.
    static func waitsForCustomer(_ request: UUID, on database: some PostgresExecutor) async throws -> Bool {
        try await !database.query("\(sql: frozen(of: request)) LIMIT 1").isEmpty
    }

    /// Whether the id was given to a courier since: in a description, in a live delivery, in one that is not of the
    /// request, or in another assignment of one that is.
    static func isKnown(
        _ courier: CourierID, since request: UUID, on database: some PostgresExecutor
    ) async throws -> Bool {
        let id = courier.rawValue
        return try await database.query(
            """
            SELECT EXISTS (SELECT FROM couriers WHERE courier_id = \(id))
                OR EXISTS (SELECT FROM store_couriers WHERE courier_id = \(id))
                OR EXISTS (SELECT FROM deliveries WHERE courier_id = \(id) AND (ended_at IS NULL OR NOT EXISTS (
                    SELECT FROM courier_erasures WHERE person_request_id = \(request)
                        AND courier_erasures.delivery_id = deliveries.delivery_id
                        AND assignment_epoch = \(sql: epoch)))) AS known
            """)[0].decode("known")
    }

    static func deleteDeliveries(of request: UUID) -> SQL {
        "DELETE FROM courier_erasures WHERE person_request_id = \(request)"
    }
}
