import Foundation
import OrderDomain
import PostgresClient

/// A customer's data in a stack's database, over all services' schemas.
///
/// An export omits copies: stored answers, timers and dead letters.
struct CustomerData: Sendable {
    let customer: CustomerID

    /// A table with the condition that names the customer's rows.
    private struct Table {
        let name: String
        let rows: SQL
        /// Columns that are never exported.
        let withheld: [String]
        /// Columns of bytes that are text.
        var texts: [String] = []
    }

    /// The ids by which rows of other tables belong to the customer.
    private struct Keys {
        let deliveries: [String]
        let devices: [String]
    }

    private func isKnown(on database: some PostgresExecutor) async throws -> Bool {
        try await database.query(
            """
            SELECT EXISTS (SELECT FROM orders.deliveries WHERE customer_id = \(customer.rawValue))
                OR EXISTS (SELECT FROM courier_eta.deliveries WHERE customer_id = \(customer.rawValue))
                OR EXISTS (SELECT FROM activity_dispatch.customers WHERE customer_id = \(customer.rawValue)) AS is_known
            """)[0].decode("is_known")
    }

    /// Every row of theirs as JSON, by table.
    ///
    /// - Returns: nil where nothing is known of them.
    func exported(on pool: PostgresPool) async throws -> String? {
        try await pool.withTransaction(.repeatableRead) { transaction in
            guard try await isKnown(on: transaction) else { return nil }
            let keys = try await keys(in: transaction)
            var parts: [String] = []
            for table in tables(keys) {
                let texts = table.texts.reduce(into: "'{}'::jsonb" as SQL) { object, column in
                    object = "\(sql: object) || jsonb_build_object(\(column)::text, encode(\(raw: column), 'escape'))"
                }
                let rows = try await transaction.query(
                    """
                    SELECT coalesce(jsonb_agg((to_jsonb(kept) - \(table.withheld)::text[]) || \(sql: texts)), '[]')::text AS rows
                    FROM \(raw: table.name) AS kept WHERE \(sql: table.rows)
                    """)
                parts.append("\"\(table.name)\":\(try rows[0].decode("rows", as: String.self))")
            }
            return "{\"customer\":\"\(customer)\",\(parts.joined(separator: ","))}"
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
            devices: try await ids("SELECT device_id AS id FROM activity_dispatch.devices WHERE customer_id = \(id)"))
    }

    /// The exported tables.
    private func tables(_ keys: Keys) -> [Table] {
        let ofDelivery: SQL = "delivery_id = ANY(\(keys.deliveries)::text[])"
        let ofCustomer: SQL = "customer_id = \(customer.rawValue)"
        // An activity's id is its delivery's, or the customer's summary, with the number of an episode.
        let shown: SQL = """
            regexp_replace(activity_id, '-[0-9]+$', '') = ANY(\(keys.deliveries + ["summary-\(customer)"])::text[])
            OR device_id = ANY(\(keys.devices)::text[])
            """
        let events: SQL = "event_id IN (SELECT event_id FROM partners.events WHERE \(sql: ofDelivery))"
        return [
            Table(name: "orders.courier_presses", rows: ofDelivery, withheld: []),
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
