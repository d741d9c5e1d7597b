import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// The SQL that erases a customer from this service's rows.
enum ErasureRepository {
    /// The deliveries of a customer by whose they are.
    struct Counts: Sendable {
        let all: Int
        let live: [DeliveryID]
        /// Deliveries of the asked store.
        let ofStore: Int
    }

    /// Counts the customer's deliveries.
    ///
    /// - Parameter store: nil counts every store's.
    static func counts(
        of customer: CustomerID, at store: StoreID?, on database: some PostgresExecutor
    ) async throws -> Counts {
        let row = try await database.query(
            """
            SELECT count(*) AS all, count(*) FILTER (WHERE store_id = coalesce(\(store?.rawValue), store_id)) AS of_store,
                coalesce(string_agg(delivery_id, ' ' ORDER BY delivery_id) FILTER (WHERE ended_at IS NULL), '') AS live
            FROM deliveries WHERE customer_id = \(customer.rawValue)
            """)[0]
        let live = try row.decode("live", as: String.self).split(separator: " ")
        return Counts(
            all: try row.decode("all"), live: live.compactMap { DeliveryID(rawValue: String($0)) },
            ofStore: try row.decode("of_store"))
    }

    /// Locks the customer's deliveries, in the order of all changes.
    static func lock(_ customer: CustomerID) -> SQL {
        """
        SELECT FROM deliveries WHERE customer_id = \(customer.rawValue) ORDER BY delivery_id FOR NO KEY UPDATE
        """
    }

    /// Refuses changes of the customer's deliveries from now on.
    static func freeze(_ customer: CustomerID, at now: Date) -> SQL {
        "UPDATE deliveries SET erased_at = \(now) WHERE customer_id = \(customer.rawValue) AND ended_at IS NOT NULL"
    }

    /// Deliveries that are refused changes, after one of them by id, as they are.
    ///
    /// - Parameter locked: whether they stay so until the transaction ends, also for the erasure of a courier.
    static func frozen(
        _ customer: CustomerID, after id: String, limit: Int, locked: Bool = false,
        on database: some PostgresExecutor
    ) async throws -> [Delivery] {
        let lock: SQL = locked ? "FOR NO KEY UPDATE" : ""
        return try await database.query(
            """
            SELECT snapshot FROM deliveries
            WHERE customer_id = \(customer.rawValue) AND erased_at IS NOT NULL AND delivery_id > \(id)
            ORDER BY delivery_id LIMIT \(limit) \(sql: lock)
            """
        ).map { try $0.decodeJSON("snapshot") }
    }

    /// Whether a delivery of the customer is not of their running request, as it was placed since.
    static func hasOther(_ customer: CustomerID, on database: some PostgresExecutor) async throws -> Bool {
        try await !database.query(
            "SELECT FROM deliveries WHERE customer_id = \(customer.rawValue) AND erased_at IS NULL LIMIT 1"
        ).isEmpty
    }

    /// The orders of deliveries.
    static func orders(of deliveries: [Delivery], on database: some PostgresExecutor) async throws -> [Order] {
        try await database.query(
            """
            SELECT snapshot FROM orders WHERE order_id = ANY(\(Set(deliveries.map(\.order.rawValue)).sorted())::text[])
            ORDER BY order_id
            """
        ).map { try $0.decodeJSON("snapshot") }
    }

    /// Replaces deliveries and their orders, and deletes everything else about them.
    ///
    /// - Parameters:
    ///   - deliveries: without their customer.
    ///   - orders: of these deliveries, without their customer.
    ///   - answers: the answers to idempotency keys that placed the orders, without their customer.
    static func erase(
        _ deliveries: [Delivery], _ orders: [(order: Order, answer: Data)], from rows: inout ErasedRows
    ) async throws {
        let ids = deliveries.map(\.id.rawValue)
        let orderIDs = orders.map(\.order.id.rawValue)
        for table in ["courier_presses", "delivery_pins", "proof_images"] {
            try await rows.erase(
                table, "DELETE FROM \(sql: .identifier(table)) WHERE delivery_id = ANY(\(ids)::text[])")
        }
        for statement in linkPresses(of: ids) { try await rows.erase("link_presses", statement) }
        for statement in timeline(of: ids) { try await rows.erase("timeline", statement) }
        try await rows.erase(
            "reference_guesses",
            "DELETE FROM reference_guesses WHERE guesser = ANY(\(orderIDs.map { "order/\($0)" })::text[])")
        try await rows.erase(
            "reference_attempts", "DELETE FROM reference_attempts WHERE order_id = ANY(\(orderIDs)::text[])")
        try await rows.erase("idempotency_keys", answers(orders))
        try await rows.erase("idempotency_keys", formerAnswers(mentioning: ids + orderIDs))
        try await rows.eraseCopies(keys: ids, mentioned: ids + orderIDs)
        try await rows.erase("orders", try replace(orders.map(\.order)))
        try await rows.erase("deliveries", try replace(deliveries))
    }

    /// Keeps the presses that a day's report counts, without their links and answers; deletes the others.
    private static func linkPresses(of deliveries: [String]) -> [SQL] {
        [
            "DELETE FROM link_presses WHERE delivery_id = ANY(\(deliveries)::text[]) AND verb IS NULL",
            """
            UPDATE link_presses SET link_hash = sha256(link_hash), body = '{}'
            WHERE delivery_id = ANY(\(deliveries)::text[])
            """,
        ]
    }

    /// Keeps the entries that a day's report counts, without texts and people; deletes the others.
    private static func timeline(of deliveries: [String]) -> [SQL] {
        let isReported: SQL = """
            (kind = 'placed' OR kind IN ('status', 'report', 'milestone') AND what LIKE '%→ attempted%'
                AND what NOT LIKE 'attempted → attempted%')
            """
        return [
            "DELETE FROM timeline WHERE delivery_id = ANY(\(deliveries)::text[]) AND NOT \(sql: isReported)",
            """
            UPDATE timeline SET what = CASE kind WHEN 'placed' THEN 'placed' ELSE '→ attempted' END, reason = NULL,
                changed_by = split_part(changed_by, ' ', 1), report_id = NULL, reversal = NULL
            WHERE delivery_id = ANY(\(deliveries)::text[])
            """,
        ]
    }

    /// Replaces the answers that placed the orders: a repeat of the request places no order.
    private static func answers(_ orders: [(order: Order, answer: Data)]) -> SQL {
        """
        UPDATE idempotency_keys SET body = new.body
        FROM unnest(\(orders.map(\.order.id.rawValue))::text[], \(PostgresBytesArray(orders.map { [UInt8]($0.answer) })))
            AS new (order_id, body)
        WHERE idempotency_keys.order_id = new.order_id
        """
    }

    /// Answers that the version before has stored, at most 48 hours after the upgrade.
    private static func formerAnswers(mentioning ids: [String]) -> SQL {
        """
        DELETE FROM idempotency_keys WHERE order_id IS NULL AND EXISTS (
            SELECT FROM unnest(\(ids)::text[]) AS known (id)
            WHERE position(convert_to(known.id, 'UTF8') IN body) > 0)
        """
    }

    private static func replace(_ orders: [Order]) throws -> SQL {
        """
        UPDATE orders SET reference = new.reference, customer_id = new.customer_id, snapshot = new.snapshot
        FROM unnest(\(orders.map(\.id.rawValue))::text[], \(orders.map(\.reference))::text[],
            \(orders.map(\.customer.rawValue))::text[],
            \(PostgresJSONArray(encoded: try orders.map { try WireJSON.encode($0) })))
            AS new (order_id, reference, customer_id, snapshot)
        WHERE orders.order_id = new.order_id
        """
    }

    private static func replace(_ deliveries: [Delivery]) throws -> SQL {
        """
        UPDATE deliveries SET customer_id = new.customer_id, snapshot = new.snapshot, drop_off = NULL, estimate = NULL,
            cards_reason = NULL, disputed_at = NULL, correction_due = false, undecided_since = NULL,
            view_links = least(view_links + 1, \(Link.viewNumberMax)), flags = string_to_array(new.flags, ',')
        FROM unnest(\(deliveries.map(\.id.rawValue))::text[], \(deliveries.map(\.customer.rawValue))::text[],
            \(deliveries.map { $0.flags.sorted().map(\.rawValue).joined(separator: ",") })::text[],
            \(PostgresJSONArray(encoded: try deliveries.map { try WireJSON.encode($0) })))
            AS new (delivery_id, customer_id, flags, snapshot)
        WHERE deliveries.delivery_id = new.delivery_id
        """
    }
}
