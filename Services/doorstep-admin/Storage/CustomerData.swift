import Foundation
import OrderDomain
import PostgresClient

/// A customer's data in a stack's database, over all services' schemas.
///
/// An export omits copies, and an erasure deletes them: stored answers, timers and dead letters.
struct CustomerData: Sendable {
    let customer: CustomerID

    /// The facts that decide whether a customer may be erased now.
    struct State: Sendable {
        let isKnown: Bool
        let liveDeliveries: Int
        /// Domain time of the last delivery's end; nil where `orders` has none.
        let lastEndedAt: Date?
    }

    /// A table with the condition that names the customer's rows.
    private struct Table {
        let name: String
        let rows: SQL
        /// Columns that are never exported; nil for a table that is not exported.
        var withheld: [String]?
        /// Columns of bytes that are text.
        var texts: [String] = []
    }

    /// The ids by which rows of other tables belong to the customer.
    private struct Keys {
        let deliveries: [String]
        let orders: [String]
        let devices: [String]
    }

    func state(on database: some PostgresExecutor) async throws -> State {
        let row = try await database.query(
            """
            SELECT count(*) FILTER (WHERE ended_at IS NULL) AS live, max(ended_at) AS last_ended_at, count(*) > 0
                OR EXISTS (SELECT FROM courier_eta.deliveries WHERE customer_id = \(customer.rawValue))
                OR EXISTS (SELECT FROM activity_dispatch.customers WHERE customer_id = \(customer.rawValue)) AS is_known
            FROM orders.deliveries WHERE customer_id = \(customer.rawValue)
            """)[0]
        return State(
            isKnown: try row.decode("is_known"), liveDeliveries: try row.decode("live"),
            lastEndedAt: try row.decode("last_ended_at"))
    }

    /// Every row of theirs as JSON, by table.
    ///
    /// - Returns: nil where nothing is known of them.
    func exported(on pool: PostgresPool) async throws -> String? {
        try await pool.withTransaction(.repeatableRead) { transaction in
            guard try await state(on: transaction).isKnown else { return nil }
            let keys = try await keys(in: transaction)
            var parts: [String] = []
            for table in tables(keys) {
                guard let withheld = table.withheld else { continue }
                let texts = table.texts.reduce(into: "'{}'::jsonb" as SQL) { object, column in
                    object = "\(sql: object) || jsonb_build_object(\(column)::text, encode(\(raw: column), 'escape'))"
                }
                let rows = try await transaction.query(
                    """
                    SELECT coalesce(jsonb_agg((to_jsonb(kept) - \(withheld)::text[]) || \(sql: texts)), '[]')::text AS rows
                    FROM \(raw: table.name) AS kept WHERE \(sql: table.rows)
                    """)
                parts.append("\"\(table.name)\":\(try rows[0].decode("rows", as: String.self))")
            }
            return "{\"customer\":\"\(customer)\",\(parts.joined(separator: ","))}"
        }
    }

    /// Deletes every row of the customer, all or none.
    ///
    /// - Parameter isAllowed: called with the state that holds until the end of the transaction; its error undoes all.
    /// - Returns: the number of deleted rows of each table, without rows deleted by a cascade.
    func erase(
        on pool: PostgresPool, isAllowed: @Sendable (State) throws -> Void
    ) async throws -> [(table: String, rows: Int)] {
        try await pool.withTransaction(retriesMax: 3) { transaction in
            // The locks that `orders` and `activity-dispatch` hold while they write a customer's rows.
            try await transaction.execute("SELECT pg_advisory_xact_lock(hashtextextended(\(customer.rawValue), 0))")
            try await transaction.execute(
                "SELECT FROM activity_dispatch.customers WHERE customer_id = \(customer.rawValue) FOR UPDATE")
            try isAllowed(try await state(on: transaction))
            var deleted: [(table: String, rows: Int)] = []
            for table in tables(try await keys(in: transaction)) {
                let rows = try await transaction.execute(
                    "DELETE FROM \(raw: table.name) WHERE \(sql: table.rows)")
                if rows > 0 { deleted.append((table.name, rows)) }
            }
            return deleted
        }
    }

    private func keys(in transaction: PostgresTransaction) async throws -> Keys {
        func ids(_ query: SQL) async throws -> [String] {
            try await transaction.query(query).map { try $0.decode("id") }
        }
        let id = customer.rawValue
        return Keys(
            deliveries: try await ids(
                """
                SELECT delivery_id AS id FROM orders.deliveries WHERE customer_id = \(id)
                UNION SELECT delivery_id FROM courier_eta.deliveries WHERE customer_id = \(id)
                UNION SELECT delivery_id FROM activity_dispatch.activities
                    WHERE customer_id = \(id) AND delivery_id IS NOT NULL
                """),
            orders: try await ids("SELECT order_id AS id FROM orders.orders WHERE customer_id = \(id)"),
            devices: try await ids("SELECT device_id AS id FROM activity_dispatch.devices WHERE customer_id = \(id)"))
    }

    /// The tables in an order that allows their deletion.
    private func tables(_ keys: Keys) -> [Table] {
        let ofDelivery: SQL = "delivery_id = ANY(\(keys.deliveries)::text[])"
        let ofCustomer: SQL = "customer_id = \(customer.rawValue)"
        // An activity's id is its delivery's, or the customer's summary, with the number of an episode.
        let shown: SQL = """
            regexp_replace(activity_id, '-[0-9]+$', '') = ANY(\(keys.deliveries + ["summary-\(customer)"])::text[])
            OR device_id = ANY(\(keys.devices)::text[])
            """
        let events: SQL = "event_id IN (SELECT event_id FROM partners.events WHERE \(sql: ofDelivery))"
        let mentioned = keys.deliveries + keys.orders
        func copies(_ table: String, in column: SQL) -> Table {
            Table(
                name: table,
                rows: """
                    EXISTS (SELECT FROM unnest(\(mentioned)::text[]) AS known (id)
                        WHERE position(convert_to(known.id, 'UTF8') IN \(sql: column)) > 0)
                    """)
        }
        let copied = ["orders", "courier_eta", "activity_dispatch", "partners"].flatMap { schema in
            [
                copies("\(schema).timers", in: "convert_to(key, 'UTF8') || payload"),
                copies("\(schema).dead_letters", in: "payload"),
            ]
        }
        return copied + [
            copies("orders.idempotency_keys", in: "body"),
            Table(name: "orders.courier_presses", rows: ofDelivery, withheld: []),
            Table(name: "orders.delivery_pins", rows: ofDelivery),
            Table(name: "orders.proof_images", rows: ofDelivery, withheld: ["sealed"]),
            Table(name: "orders.timeline", rows: ofDelivery, withheld: []),
            Table(name: "orders.link_presses", rows: ofDelivery, withheld: ["link_hash", "body"]),
            Table(name: "orders.deliveries", rows: ofCustomer, withheld: []),
            Table(name: "orders.orders", rows: ofCustomer, withheld: []),
            Table(name: "courier_eta.deliveries", rows: ofCustomer, withheld: ["snapshot", "watch"]),
            Table(name: "activity_dispatch.pushes", rows: shown, withheld: []),
            Table(name: "activity_dispatch.overrides", rows: shown, withheld: []),
            Table(
                name: "activity_dispatch.cards", rows: shown,
                withheld: ["update_token", "update_token_origin"]),
            Table(
                name: "activity_dispatch.device_connections", rows: "device_id = ANY(\(keys.devices)::text[])",
                withheld: []),
            Table(
                name: "activity_dispatch.devices", rows: ofCustomer,
                withheld: ["push_to_start_token", "push_to_start_token_origin", "secret_hash"]),
            Table(name: "activity_dispatch.activities", rows: ofCustomer, withheld: ["wanted"]),
            Table(name: "activity_dispatch.card_health", rows: ofDelivery, withheld: []),
            Table(
                name: "activity_dispatch.alert_subscriptions", rows: ofDelivery, withheld: ["p256dh", "auth"]),
            Table(name: "activity_dispatch.customers", rows: ofCustomer, withheld: []),
            Table(name: "desk.triage", rows: ofDelivery, withheld: []),
            Table(name: "partners.attempts", rows: events, withheld: []),
            Table(name: "partners.event_deliveries", rows: events, withheld: ["lease"]),
            Table(name: "partners.events", rows: ofDelivery, withheld: ["body"]),
            Table(
                name: "partners.receipts",
                rows: """
                    \(sql: ofDelivery)
                    OR body_of IN (SELECT receipt_id FROM partners.receipts WHERE \(sql: ofDelivery))
                    """, withheld: [], texts: ["body"]),
            Table(name: "partners.provider_references", rows: ofDelivery, withheld: []),
            Table(name: "partners.reported_deliveries", rows: ofDelivery, withheld: []),
            Table(name: "partners.deliveries", rows: ofDelivery, withheld: []),
        ]
    }
}
