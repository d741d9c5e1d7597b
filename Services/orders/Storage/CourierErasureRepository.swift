import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// The SQL of requests to erase a courier: whose the courier is, the deliveries of a request, and how far it is.
enum CourierErasureRepository {
    /// Timeline entries that are searched at once.
    static let timelineMax = 20_000
    /// Deliveries in which the pseudonym is put at once.
    static let deliveriesMax = 50

    /// What is known of a courier.
    struct Counts: Sendable {
        /// Deliveries, and descriptions by a store or the shop.
        let all: Int
        /// Those of the asked store.
        let ofStore: Int
        /// Live deliveries that are assigned, with the goods still in their store.
        let assigned: [DeliveryID]
        /// Live deliveries whose goods the courier has, or is to fetch from another one.
        let carried: [DeliveryID]

        var live: [DeliveryID] { (assigned + carried).sorted() }
    }

    /// Counts what is known of the courier.
    ///
    /// - Parameter store: nil counts every store's.
    static func counts(
        of courier: CourierID, at store: StoreID?, on database: some PostgresExecutor
    ) async throws -> Counts {
        let id = courier.rawValue
        let row = try await database.query(
            """
            WITH known AS (
                SELECT store_id FROM deliveries WHERE courier_id = \(id)
                UNION ALL SELECT store_id FROM store_couriers WHERE courier_id = \(id)
                UNION ALL SELECT NULL FROM couriers WHERE courier_id = \(id) AND is_shop_wide
            ), live AS (
                SELECT delivery_id, courier_id = \(id) AND courier_status IS NOT NULL AS is_assigned FROM deliveries
                WHERE ended_at IS NULL AND (courier_id = \(id) OR snapshot->'fetchedFrom'->>'id' = \(id))
            )
            SELECT count(*) AS all, count(*) FILTER (WHERE store_id = coalesce(\(store?.rawValue), store_id)) AS of_store,
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
            all: try row.decode("all"), ofStore: try row.decode("of_store"), assigned: try deliveries("assigned"),
            carried: try deliveries("carried"))
    }

    /// Locks the courier's deliveries, in the order of all changes; other requests about the courier wait.
    static func lock(_ courier: CourierID, in transaction: PostgresTransaction) async throws {
        _ = try await transaction.batch([
            "SELECT pg_advisory_xact_lock(hashtextextended(\(courier.rawValue), 2))",
            """
            SELECT FROM deliveries WHERE courier_id = \(courier.rawValue) ORDER BY delivery_id FOR NO KEY UPDATE
            """,
        ])
    }

    /// The names and numbers in descriptions and in deliveries of the courier.
    static func texts(of courier: CourierID, on database: some PostgresExecutor) async throws -> CourierTexts {
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
            texts.add(name: try row.decode("name"), phone: try row.decode("phone"))
        }
    }

    /// Notes the request's deliveries, and deletes the courier's descriptions and link.
    static func accept(
        _ request: UUID, of courier: CourierID, texts: CourierTexts, from rows: inout ErasedRows
    ) async throws {
        let id = courier.rawValue
        _ = try await rows.transaction.batch([
            """
            INSERT INTO courier_erasures (person_request_id, delivery_id)
            SELECT \(request)::uuid, delivery_id FROM deliveries WHERE courier_id = \(id)
            """,
            try set(texts, of: request),
        ])
        for table in ["couriers", "store_couriers", "courier_links"] {
            try await rows.erase(table, "DELETE FROM \(sql: .identifier(table)) WHERE courier_id = \(id)")
        }
    }

    private static func set(_ texts: CourierTexts, of request: UUID) throws -> SQL {
        """
        UPDATE person_requests SET courier_texts = \(try OrderRepository.json(texts))::jsonb
        WHERE person_request_id = \(request)
        """
    }

    // MARK: Deliveries that had the courier once

    /// Notes the deliveries of a page of the timeline that had the courier once, with the names that they have.
    ///
    /// A delivery that the courier has again since is not of the request.
    /// - Returns: the last entry of the page; nil without a further page.
    static func noteFormer(
        of erased: ErasedCourier, _ request: UUID, after entry: Int, in transaction: PostgresTransaction
    ) async throws -> Int? {
        let rows = try await transaction.query(
            """
            WITH page AS (
                SELECT timeline_id, delivery_id, changed_by, reversal FROM timeline WHERE timeline_id > \(entry)
                ORDER BY timeline_id LIMIT \(timelineMax)
            ), former AS (
                SELECT delivery_id, reversal FROM page
                WHERE changed_by = \("courier \(erased.id)")
                    OR position(\("\"\(erased.id)\"") IN reversal::text) > 0
            ), noted AS (
                INSERT INTO courier_erasures (person_request_id, delivery_id)
                SELECT DISTINCT \(request)::uuid, delivery_id FROM former JOIN deliveries USING (delivery_id)
                WHERE courier_id IS DISTINCT FROM \(erased.id.rawValue) ON CONFLICT DO NOTHING
            )
            SELECT max(timeline_id) AS last, NULL::text AS name, NULL::text AS phone FROM page
            UNION ALL
            SELECT DISTINCT NULL::bigint, was->>'name', was->>'phone' FROM former,
                LATERAL (VALUES (reversal->'courier'->'value'), (reversal->'fetchedFrom'->'value')) AS described (was)
            WHERE was->>'id' = \(erased.id.rawValue)
            """)
        var texts = CourierTexts(names: Set(erased.names), phones: Set(erased.phones))
        for row in rows { texts.add(name: try row.decode("name"), phone: try row.decode("phone")) }
        try await transaction.execute(set(texts, of: request))
        return try rows.compactMap { try $0.decode("last", as: Int?.self) }.max()
    }

    // MARK: Parts

    /// The deliveries of the request in which the courier still is, locked, with their records.
    static func unreplaced(
        of request: UUID, in transaction: PostgresTransaction
    ) async throws -> (ids: [String], records: [DeliveryRecord]) {
        let ids = try await transaction.query(
            """
            SELECT delivery_id FROM courier_erasures WHERE person_request_id = \(request) AND NOT is_replaced
            ORDER BY delivery_id LIMIT \(deliveriesMax)
            """
        ).map { try $0.decode("delivery_id", as: String.self) }
        let records = try await transaction.query(
            """
            SELECT \(sql: OrderRepository.recordColumns) FROM deliveries WHERE delivery_id = ANY(\(ids)::text[])
            ORDER BY delivery_id FOR NO KEY UPDATE OF deliveries
            """
        ).map(OrderRepository.record)
        return (ids, records)
    }

    static func setReplaced(_ ids: [String], of request: UUID) -> SQL {
        """
        UPDATE courier_erasures SET is_replaced = true
        WHERE person_request_id = \(request) AND delivery_id = ANY(\(ids)::text[])
        """
    }

    /// Deliveries of the request after one of them by id, as they are now.
    ///
    /// None that a new courier with the id has since.
    static func replaced(
        of request: UUID, _ courier: CourierID, after id: String, limit: Int, on database: some PostgresExecutor
    ) async throws -> [Delivery] {
        try await database.query(
            """
            SELECT snapshot FROM courier_erasures JOIN deliveries USING (delivery_id)
            WHERE person_request_id = \(request) AND delivery_id > \(id)
                AND courier_id IS DISTINCT FROM \(courier.rawValue)
            ORDER BY delivery_id LIMIT \(limit)
            """
        ).map { try $0.decodeJSON("snapshot") }
    }

    /// Whether a customer of one of the deliveries is being erased.
    ///
    /// Other services are given the customer's deliveries without the customer meanwhile.
    static func waitsForCustomer(_ request: UUID, on database: some PostgresExecutor) async throws -> Bool {
        try await !database.query(
            """
            SELECT FROM courier_erasures JOIN deliveries USING (delivery_id)
                JOIN person_requests ON person_requests.customer_id = deliveries.customer_id
            WHERE courier_erasures.person_request_id = \(request) AND deliveries.erased_at IS NOT NULL LIMIT 1
            """
        ).isEmpty
    }

    /// Whether the id was given to a courier since: in a description, or in a live delivery.
    static func isKnown(_ courier: CourierID, on database: some PostgresExecutor) async throws -> Bool {
        let id = courier.rawValue
        return try await database.query(
            """
            SELECT EXISTS (SELECT FROM couriers WHERE courier_id = \(id))
                OR EXISTS (SELECT FROM store_couriers WHERE courier_id = \(id))
                OR EXISTS (SELECT FROM deliveries WHERE courier_id = \(id) AND ended_at IS NULL) AS known
            """)[0].decode("known")
    }

    static func deleteDeliveries(of request: UUID) -> SQL {
        "DELETE FROM courier_erasures WHERE person_request_id = \(request)"
    }
}
