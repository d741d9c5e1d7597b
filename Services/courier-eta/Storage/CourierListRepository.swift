import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of the list of couriers.
enum CourierListRepository {
    /// Couriers with an enrolled phone, a fix, or a stored delivery, in the order of their ids.
    ///
    /// - Parameters:
    ///   - store: only couriers with a delivery of this store, and only these deliveries' data; nil for all.
    ///   - asShop: whether the reader is the store's shop, which learns duty and phones' last messages only of couriers
    ///     who have one of its deliveries now.
    ///   - only: the requested courier; nil for all.
    static func couriers(
        of store: StoreID?, asShop: Bool, only: CourierID?, after: CourierID?, limit: Int, at now: Date,
        on database: some PostgresExecutor
    ) async throws -> [CouriersBody.Row] {
        try await database.query(
            statement(of: store, asShop: asShop, only: only, after: after, limit: limit, at: now)
        ).map { row in
            CouriersBody.Row(
                courier: try row.decode("courier_id"), name: try row.decode("name"), phones: try row.decode("phones"),
                lastSeenAt: try row.decode("last_seen_at"), onDuty: try row.decode("on_duty"),
                deliveries: try row.decode("deliveries"), malformed: try row.decode("malformed"),
                malformedAt: try row.decode("malformed_at"), isSilent: try row.decode("is_silent"),
                isOffMap: try row.decode("is_off_map"))
        }
    }

    static func statement(
        of store: StoreID?, asShop: Bool, only: CourierID?, after: CourierID?, limit: Int, at now: Date
    ) -> SQL {
        var own: SQL = "TRUE"
        if let store { own = "deliveries.store_id = \(store.rawValue)" }
        var ids: SQL = "SELECT DISTINCT courier_id FROM deliveries WHERE courier_id IS NOT NULL AND \(sql: own)"
        if store == nil {
            ids += " UNION SELECT courier_id FROM couriers UNION SELECT courier_id FROM phones WHERE revoked_at IS NULL"
        }
        // A shop learns nothing of a courier's work for others, nor of what they do in between.
        let isSeen: SQL = store != nil && asShop ? "live.count > 0" : "TRUE"
        var isOffMap: SQL = "NULL::boolean"
        if store == nil {
            isOffMap = """
                nullif(EXISTS (
                    SELECT FROM map_exemptions WHERE map_exemptions.courier_id = listed.courier_id), false)
                """
        }
        // A courier whom a provider gives no id is of one delivery, and is assigned to no other.
        var conditions: SQL = """
            (courier_id !~ \(CourierID.ofOneDeliveryPattern) OR EXISTS (
                SELECT FROM deliveries WHERE deliveries.courier_id = known.courier_id AND ended_at IS NULL))
            """
        if let only { conditions = "courier_id = \(only)" }
        if let after { conditions += " AND courier_id > \(after)" }
        return """
            SELECT listed.courier_id, newest.name, phones.count AS phones,
                CASE WHEN \(sql: isSeen) THEN phones.malformed END AS malformed,
                CASE WHEN \(sql: isSeen) THEN phones.malformed_at END AS malformed_at,
                CASE WHEN \(sql: isSeen) THEN greatest(phones.last_seen_at, (
                    SELECT max(fixed_at) FROM fixes WHERE fixes.courier_id = listed.courier_id)) END AS last_seen_at,
                live.count AS deliveries, live.is_silent, \(sql: isOffMap) AS is_off_map,
                live.count > 0 OR (\(sql: isSeen) AND EXISTS (
                    SELECT FROM duties WHERE duties.courier_id = listed.courier_id
                        AND began_at <= \(now) AND ended_at > \(now))) AS on_duty
            FROM (SELECT courier_id FROM (\(sql: ids)) AS known WHERE \(sql: conditions)
                ORDER BY courier_id LIMIT \(limit)) AS listed
            CROSS JOIN LATERAL (
                SELECT count(*) AS count, max(last_seen_at) AS last_seen_at,
                    nullif(sum(malformed), 0)::bigint AS malformed, max(malformed_at) AS malformed_at
                FROM phones
                WHERE phones.courier_id = listed.courier_id AND revoked_at IS NULL) AS phones
            CROSS JOIN LATERAL (
                SELECT count(*) AS count, coalesce(bool_or(\(sql: DeliveryRepository.isSilent)), false) AS is_silent
                FROM deliveries
                WHERE deliveries.courier_id = listed.courier_id AND ended_at IS NULL AND \(sql: own)) AS live
            LEFT JOIN LATERAL (
                SELECT snapshot->'delivery'->'courier'->>'name' AS name FROM deliveries
                WHERE deliveries.courier_id = listed.courier_id AND \(sql: own)
                ORDER BY courier_since DESC NULLS LAST LIMIT 1) AS newest ON TRUE
            ORDER BY listed.courier_id
            """
    }
}
