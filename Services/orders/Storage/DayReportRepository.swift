import Foundation
import Messages
import OrderDomain
import PostgresClient

/// The SQL of a day's report: its events in pages, by the indexes of their times, and the names of stores and couriers.
enum DayReportRepository {
    /// The events between two instants.
    struct Span: Sendable {
        let start: Date
        let end: Date
        /// Nil for every store.
        let store: StoreID?
    }

    struct Page<Key: Sendable>: Sendable {
        let events: [ReportedEvent]
        /// The position of the next page; nil on the last.
        let next: Position<Key>?
    }

    /// The time of a page's last event, and the key of its row.
    struct Position<Key: Sendable>: Sendable {
        let at: Date
        let key: Key
    }

    /// Pressed links.
    static func presses(
        _ span: Span, after position: Position<[UInt8]>?, limit: Int, on database: some PostgresExecutor
    ) async throws -> Page<[UInt8]> {
        var conditions: SQL = "verb IS NOT NULL AND at >= \(span.start) AND at < \(span.end)"
        if let store = span.store { conditions += " AND store_id = \(store.rawValue)" }
        if let position { conditions += " AND (at, link_hash) > (\(position.at)::timestamptz, \(position.key))" }
        let rows = try await database.query(
            """
            SELECT at, link_hash, verb, store_id, courier_id FROM link_presses JOIN deliveries USING (delivery_id)
            WHERE \(sql: conditions) ORDER BY at, link_hash LIMIT \(limit)
            """)
        let last = rows.count < limit ? nil : rows.last
        return Page(
            events: try rows.map { try event(.pressed(try $0.decode("verb")), at: try $0.decode("at"), $0) },
            next: try last.map {
                Position(at: try $0.decode("at"), key: [UInt8](try $0.decode("link_hash", as: Data.self)))
            })
    }

    /// Placed deliveries and failed attempts, from timelines.
    static func entries(
        _ span: Span, after position: Position<Int>?, limit: Int, on database: some PostgresExecutor
    ) async throws -> Page<Int> {
        // The first condition is that of the index. A notice about an attempt, or goods fetched after it, is no other.
        var conditions: SQL = """
            (kind = 'placed' OR kind IN ('status', 'report', 'milestone') AND what LIKE '%→ attempted%')
                AND what NOT LIKE 'attempted → attempted%' AND at >= \(span.start) AND at < \(span.end)
            """
        if let store = span.store { conditions += " AND store_id = \(store.rawValue)" }
        if let position {
            conditions += " AND (at, timeline_id) > (\(position.at)::timestamptz, \(position.key)::bigint)"
        }
        let rows = try await database.query(
            """
            SELECT at, timeline_id, kind, store_id, courier_id
            FROM timeline JOIN deliveries USING (delivery_id) WHERE \(sql: conditions)
            ORDER BY at, timeline_id LIMIT \(limit)
            """)
        let last = rows.count < limit ? nil : rows.last
        let next = try last.map { Position<Int>(at: try $0.decode("at"), key: try $0.decode("timeline_id")) }
        return Page(
            events: try rows.map { row in
                let isPlaced = try row.decode("kind", as: String.self) == "placed"
                return try event(isPlaced ? .placed : .attempted, at: try row.decode("at"), row)
            }, next: next)
    }

    /// Ended deliveries, as they are now.
    static func ends(
        _ span: Span, after position: Position<String>?, limit: Int, on database: some PostgresExecutor
    ) async throws -> Page<String> {
        var conditions: SQL = "ended_at >= \(span.start) AND ended_at < \(span.end)"
        if let store = span.store { conditions += " AND store_id = \(store.rawValue)" }
        if let position {
            conditions += " AND (ended_at, delivery_id) > (\(position.at)::timestamptz, \(position.key))"
        }
        let rows = try await database.query(
            """
            SELECT ended_at, delivery_id, status, store_id, courier_id, snapshot->'originalPromise' AS promise,
                coalesce(estimate_errors, '[]') AS errors, snapshot->'feedback'->>'kind' AS feedback,
                CASE WHEN status = 'cancelled' THEN coalesce(snapshot->>'customerReason', snapshot->>'reason') END
                    AS reason
            FROM deliveries WHERE \(sql: conditions) ORDER BY ended_at, delivery_id LIMIT \(limit)
            """)
        let last = rows.count < limit ? nil : rows.last
        let next = try last.map { Position<String>(at: try $0.decode("ended_at"), key: try $0.decode("delivery_id")) }
        return Page(
            events: try rows.compactMap { row in
                // The table's own constraint allows no other status with an end.
                guard let end = ReportedEvent.End(rawValue: try row.decode("status")) else { return nil }
                let kind = ReportedEvent.Kind.ended(
                    end, promise: try row.decodeJSON("promise"), reason: try row.decode("reason"),
                    errors: try row.decodeJSON("errors"),
                    feedback: try row.decode("feedback", as: String?.self)
                        .flatMap(DeliveryFeedback.Kind.init(rawValue:)))
                return try event(kind, at: try row.decode("ended_at"), row)
            }, next: next)
    }

    private static func event(_ kind: ReportedEvent.Kind, at: Date, _ row: PostgresRow) throws -> ReportedEvent {
        ReportedEvent(
            kind: kind, at: at, store: try row.identifier("store_id"),
            courier: try row.decode("courier_id", as: String?.self).flatMap(CourierID.init(rawValue:)))
    }

    /// The stores by their ids, as their newest orders describe them.
    ///
    /// - Parameter only: nil for every store.
    static func stores(
        _ only: StoreID?, on database: some PostgresExecutor
    ) async throws -> [StoreID: ReportedStore] {
        // Each step finds the next store by the index, whatever the number of orders.
        let known: SQL =
            if let only {
                "SELECT \(only.rawValue)::text AS store_id"
            } else {
                """
                (SELECT store_id FROM orders ORDER BY store_id LIMIT 1)
                UNION ALL
                SELECT (SELECT store_id FROM orders WHERE store_id > known.store_id ORDER BY store_id LIMIT 1)
                FROM known WHERE known.store_id IS NOT NULL
                """
            }
        let rows = try await database.query(
            """
            WITH RECURSIVE known AS (\(sql: known))
            SELECT known.store_id, newest.name, newest.time_zone FROM known, LATERAL (
                SELECT snapshot->'store'->>'name' AS name, snapshot->'store'->>'timeZone' AS time_zone FROM orders
                WHERE orders.store_id = known.store_id ORDER BY coalesce(changed_at, placed_at) DESC LIMIT 1
            ) AS newest
            """)
        return try rows.reduce(into: [:]) { stores, row in
            let id: StoreID = try row.identifier("store_id")
            stores[id] = ReportedStore(name: try row.decode("name"), timeZone: try row.decode("time_zone"))
        }
    }

    /// The names of couriers, each from one of their deliveries.
    ///
    /// - Parameter store: the store whose deliveries name them, since stores may name one id differently; nil for any.
    static func names(
        of couriers: [CourierID], by store: StoreID?, on database: some PostgresExecutor
    ) async throws -> [CourierID: String] {
        guard !couriers.isEmpty else { return [:] }
        let own: SQL = if let store { " AND store_id = \(store.rawValue)" } else { "" }
        let rows = try await database.query(
            """
            SELECT named.courier_id, delivery.name FROM unnest(\(couriers.map(\.rawValue))::text[]) AS named (courier_id),
                LATERAL (SELECT snapshot->'courier'->>'name' AS name FROM deliveries
                    WHERE deliveries.courier_id = named.courier_id\(sql: own) LIMIT 1) AS delivery
            """)
        return try rows.reduce(into: [:]) { names, row in
            let id: CourierID = try row.identifier("courier_id")
            names[id] = try row.decode("name", as: String?.self)
        }
    }
}
