import Foundation
import OrderDomain
import PostgresClient

/// The search for deliveries that had the courier once.
extension CourierErasureRepository {
    /// Timeline entries that are searched at once.
    static let timelineMax = 20_000
    /// Deliveries that are searched at once.
    static let searchedMax = 2_000

    /// Notes the deliveries of a page of the timeline that had the courier once, with the names that they have.
    ///
    /// A delivery that the courier has again since is not of the request.
    /// - Parameters:
    ///   - last: the last entry of all.
    ///   - store: of which the deliveries are; nil for every store's.
    /// - Returns: the last entry of the page; nil without a further page.
    static func noteFormer(
        of erased: ErasedCourier, _ request: UUID, at store: StoreID?, after entry: Int, until last: Int,
        by box: PersonalDataBox, in transaction: PostgresTransaction
    ) async throws -> Int? {
        let rows = try await transaction.query(
            """
            WITH page AS (
                SELECT timeline_id, delivery_id, changed_by, reversal FROM timeline
                WHERE timeline_id > \(entry) AND timeline_id <= \(last) ORDER BY timeline_id LIMIT \(timelineMax)
            ), mentioned AS (
                SELECT delivery_id, reversal FROM page
                WHERE changed_by = \("courier \(erased.id)")
                    OR \(sql: has(erased.id, in: "reversal"))
            ), former AS (
                SELECT delivery_id, reversal, snapshot FROM mentioned JOIN deliveries USING (delivery_id)
                WHERE \(sql: isFormer(erased.id, at: store))
            ), noted AS (
                INSERT INTO courier_erasures (person_request_id, delivery_id, assignment_epoch)
                SELECT DISTINCT ON (delivery_id) \(request)::uuid, delivery_id, \(sql: epoch) FROM former
                ON CONFLICT DO NOTHING
            )
            SELECT max(timeline_id) AS last, count(*) AS found, NULL::text AS name, NULL::text AS phone FROM page
            UNION ALL
            SELECT DISTINCT NULL::bigint, 0, was->>'name', was->>'phone' FROM former,
                LATERAL (VALUES (reversal->'courier'->'value'), (reversal->'fetchedFrom'->'value')) AS described (was)
            WHERE was->>'id' = \(erased.id.rawValue)
            """)
        try await note(rows, of: erased, request, by: box, in: transaction)
        guard try rows.contains(where: { try $0.decode("found", as: Int.self) == timelineMax }) else { return nil }
        return try rows.compactMap { try $0.decode("last", as: Int?.self) }.max()
    }

    /// Notes the deliveries of a page of all deliveries that have the courier otherwise than as their own: of some, the
    /// timeline has gone.
    ///
    /// - Returns: the last delivery of the page; nil without a further page.
    static func noteFormer(
        of erased: ErasedCourier, _ request: UUID, at store: StoreID?, afterDelivery id: String,
        by box: PersonalDataBox, in transaction: PostgresTransaction
    ) async throws -> String? {
        let courier = erased.id.rawValue
        let rows = try await transaction.query(
            """
            WITH page AS (
                SELECT delivery_id, store_id, courier_id, snapshot FROM deliveries WHERE delivery_id > \(id)
                ORDER BY delivery_id LIMIT \(searchedMax)
            ), former AS (
                SELECT delivery_id, snapshot FROM page
                WHERE \(sql: isFormer(erased.id, at: store)) AND (snapshot->'fetchedFrom'->>'id' = \(courier)
                    OR snapshot->>'brokenDownCourier' = \(courier)
                    OR \(sql: has(erased.id, in: "snapshot->'courierReports'"))
                    OR position(\("\"courier \(courier)\"") IN (snapshot->'proof')::text) > 0
                    OR snapshot->'proof'->'claim'->'courier'->>'id' = \(courier))
            ), noted AS (
                INSERT INTO courier_erasures (person_request_id, delivery_id, assignment_epoch)
                SELECT \(request)::uuid, delivery_id, \(sql: epoch) FROM former ON CONFLICT DO NOTHING
            )
            SELECT max(delivery_id) AS last, count(*) AS found, NULL::text AS name, NULL::text AS phone FROM page
            UNION ALL
            SELECT DISTINCT NULL, 0, was->>'name', was->>'phone' FROM former,
                LATERAL (VALUES (snapshot->'fetchedFrom'), (snapshot->'proof'->'claim'->'courier')) AS described (was)
            WHERE was->>'id' = \(courier)
            """)
        try await note(rows, of: erased, request, by: box, in: transaction)
        guard try rows.contains(where: { try $0.decode("found", as: Int.self) == searchedMax }) else { return nil }
        return try rows.compactMap { try $0.decode("last", as: String?.self) }.max()
    }

    /// The condition of a delivery that the courier does not have now.
    private static func isFormer(_ courier: CourierID, at store: StoreID?) -> SQL {
        let isOfStore: SQL = store.map { "AND store_id = \($0.rawValue)" } ?? ""
        return "courier_id IS DISTINCT FROM \(courier.rawValue) \(sql: isOfStore)"
    }

    /// The condition that a document has the id as a value, at any place; a search for the text comes first.
    private static func has(_ courier: CourierID, in document: SQL) -> SQL {
        """
        position(\("\"\(courier)\"") IN (\(sql: document))::text) > 0 AND jsonb_path_exists(
            \(sql: document), '$.** ? (@ == $id)', jsonb_build_object('id', \(courier.rawValue)::text))
        """
    }

    /// Notes the names and numbers that were found.
    private static func note(
        _ rows: [PostgresRow], of erased: ErasedCourier, _ request: UUID, by box: PersonalDataBox,
        in transaction: PostgresTransaction
    ) async throws {
        var texts = CourierTexts(names: Set(erased.names), phones: Set(erased.phones))
        for row in rows {
            let phone = try box.written(number: row.decode("phone"), of: erased.id)
            texts.add(name: try row.decode("name"), phone: phone, of: erased.id)
        }
        try await transaction.execute(set(texts, of: request))
    }
}
