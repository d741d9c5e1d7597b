import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// The SQL that erases a courier's name from activities, cards and the ledger of their deliveries.
enum CourierErasureRepository {
    /// The texts of one table.
    private struct Texts {
        let table: String
        /// The column that names a row, and its type.
        let key: String
        let keyType: SQL
        let columns: [String]
        let columnType: SQL
    }

    private static let texts = [
        Texts(table: "activities", key: "activity_id", keyType: "text", columns: ["wanted"], columnType: "jsonb"),
        Texts(
            table: "cards", key: "card_id", keyType: "uuid",
            columns: ["sent", "shown", "in_flight", "refreshed", "unfit", "updated_by_app"], columnType: "jsonb"),
        Texts(
            table: "device_events", key: "card_id", keyType: "uuid", columns: ["data", "start_data"],
            columnType: "text"),
        Texts(table: "pushes", key: "push_id", keyType: "bigint", columns: ["rendered"], columnType: "text"),
        Texts(table: "overrides", key: "override_id", keyType: "bigint", columns: ["reason"], columnType: "text"),
    ]

    /// Whether the deliveries' cards are still to change: an end or a live delivery's version has not arrived, or a push
    /// with a name is on its way.
    static func isInMotion(_ request: CourierErasureRequest, on database: some PostgresExecutor) async throws -> Bool {
        let ended = request.deliveries.filter { $0.delivery.endedAt != nil }.map(\.delivery.id.rawValue)
        let live = liveVersions(request)
        return try await database.query(
            """
            SELECT EXISTS (SELECT FROM activities WHERE delivery_id = ANY(\(ended)::text[]) AND NOT is_ended)
                OR EXISTS (SELECT FROM (\(sql: live)) AS new WHERE NOT EXISTS (SELECT FROM activities
                    WHERE activities.activity_id = new.activity_id AND (is_ended OR activities.version >= new.version)))
                OR EXISTS (SELECT FROM cards WHERE in_flight IS NOT NULL AND leased_until > clock_timestamp()
                    AND activity_id IN (\(sql: activities(of: request.deliveryIDs)))) AS is_in_motion
            """)[0].decode("is_in_motion")
    }

    /// The activities of deliveries, and their customers' summaries, which have a line of the next delivery.
    private static func activities(of deliveries: [String]) -> SQL {
        """
        SELECT activity_id FROM activities WHERE delivery_id = ANY(\(deliveries)::text[]) OR delivery_id IS NULL
            AND customer_id IN (SELECT customer_id FROM activities WHERE delivery_id = ANY(\(deliveries)::text[]))
        """
    }

    /// The activities of the live deliveries' present episodes, with the deliveries' versions.
    private static func liveVersions(_ request: CourierErasureRequest) -> SQL {
        let live = request.deliveries.map(\.delivery).filter { $0.endedAt == nil }
        return """
            SELECT * FROM unnest(\(live.map { ActivityID($0.id, episode: $0.episode).rawValue })::text[],
                \(live.map(\.version))) AS new (activity_id, version)
            """
    }

    /// Replaces the name, and puts ends in the place of intents that are still to come.
    ///
    /// - Parameter ends: of ended deliveries without the courier, for those that are not known yet.
    static func erase(
        _ request: CourierErasureRequest, ends: [Activity], at now: Date, from rows: inout ErasedRows
    ) async throws {
        let own = request.deliveryIDs
        let ended = request.deliveries.filter { $0.delivery.endedAt != nil }
        // The order of locks of all transactions: customers, then devices.
        _ = try await rows.transaction.batch([
            """
            INSERT INTO customers (customer_id) SELECT DISTINCT customer_id
            FROM unnest(\(ends.map(\.customer.rawValue))::text[], \(ends.map { $0.delivery?.rawValue ?? "" })::text[])
                AS new (customer_id, delivery_id)
            WHERE NOT EXISTS (SELECT FROM activities WHERE activities.delivery_id = new.delivery_id)
            ORDER BY customer_id ON CONFLICT DO NOTHING
            """,
            """
            SELECT FROM customers WHERE customer_id IN (
                SELECT customer_id FROM activities WHERE delivery_id = ANY(\(own)::text[])
                UNION SELECT unnest(\(ends.map(\.customer.rawValue))::text[]))
            ORDER BY customer_id FOR NO KEY UPDATE
            """,
            """
            SELECT FROM devices WHERE device_id IN (
                SELECT device_id FROM cards WHERE activity_id IN (\(sql: activities(of: own))))
            ORDER BY device_id FOR NO KEY UPDATE
            """,
            // What is still to come of the courier's time with it has an older version.
            """
            UPDATE activities SET version = greatest(activities.version, new.version)
            FROM unnest(\(ended.map(\.delivery.id.rawValue))::text[], \(ended.map(\.delivery.version)))
                AS new (delivery_id, version)
            WHERE activities.delivery_id = new.delivery_id AND is_ended
            """,
            // Below every step of the version, which is still to come itself where the wait for it was in vain.
            """
            UPDATE activities SET version = new.version, step = -1
            FROM (\(sql: liveVersions(request))) AS new
            WHERE activities.activity_id = new.activity_id AND NOT is_ended AND activities.version < new.version
            """,
        ])
        let shown = try await rows.transaction.query(activities(of: own))
            .map { try $0.decode("activity_id", as: String.self) }
        for texts in texts { try await erase(request.courier, in: texts, of: shown, from: &rows) }
        try await rows.erase("activities", insert(ends, at: now))
    }

    private static func erase(
        _ courier: ErasedCourier, in texts: Texts, of activities: [String], from rows: inout ErasedRows
    ) async throws {
        let (table, key) = (SQL.identifier(texts.table), SQL.identifier(texts.key))
        let own: SQL =
            texts.table == "device_events"
            ? "card_id IN (SELECT card_id FROM cards WHERE activity_id = ANY(\(activities)::text[]))"
            : "activity_id = ANY(\(activities)::text[])"
        for name in texts.columns {
            let column = SQL.identifier(name)
            let found = try await rows.transaction.query(
                """
                SELECT \(sql: key)::text AS key, \(sql: column)::text AS text FROM \(sql: table)
                WHERE \(sql: own) AND EXISTS (SELECT FROM unnest(\(courier.searchedTexts)::text[]) AS known (text)
                    WHERE position(known.text IN \(sql: column)::text) > 0)
                """)
            let changed = try found.compactMap { row -> (key: String, text: String)? in
                let text = try row.decode("text", as: String.self)
                let isJSON = texts.table != "overrides"
                let next = isJSON ? courier.replaced(inContent: text) : courier.redacted(text)
                guard let next, next != text else { return nil }
                return (try row.decode("key"), next)
            }
            guard !changed.isEmpty else { continue }
            try await rows.erase(
                texts.table,
                """
                UPDATE \(sql: table) SET \(sql: column) = new.text::\(sql: texts.columnType)
                FROM unnest(\(changed.map(\.key))::text[], \(changed.map(\.text))::text[]) AS new (key, text)
                WHERE \(sql: table).\(sql: key) = new.key::\(sql: texts.keyType)
                """)
        }
    }

    private static func insert(_ ends: [Activity], at now: Date) -> SQL {
        """
        INSERT INTO activities (activity_id, customer_id, delivery_id, store_id, wanted, is_ended, version, step,
            wanted_at)
        SELECT new.*, \(now) FROM unnest(\(sql: ActivityRepository.columns(of: ends)))
            AS new (activity_id, customer_id, delivery_id, store_id, wanted, is_ended, version, step)
        WHERE NOT EXISTS (SELECT FROM activities AS known WHERE known.delivery_id = new.delivery_id)
        ORDER BY 1 ON CONFLICT DO NOTHING
        """
    }
}
