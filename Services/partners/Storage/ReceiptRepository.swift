import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// The SQL of providers' receipts.
enum ReceiptRepository {
    // MARK: Receiving

    /// The name under which a report of an erased delivery is dismissed.
    private static let erasure = "erasure"

    /// The delivery of a new receipt.
    struct Resolution: Hashable, Sendable {
        /// Nil without one, and for an erased delivery.
        let delivery: DeliveryID?
        /// The provider to which the shop gave the delivery after the receipt's; nil where the report ends nothing.
        let successor: ProviderID?
    }

    /// Inserts new receipts, and applies each to the delivery of its first known reference.
    ///
    /// Doorstep's own id comes before any other reference. A report that ends the part of a provider has the provider
    /// whose reference was set since.
    /// A report of an erased delivery is kept as dismissed, without its content and without its webhook's body. One of
    /// an ended delivery whose courier is erased is kept without a courier, and without that body.
    /// - Returns: the new ones' ids with that delivery.
    static func insert(
        _ receipts: [Receipt], in transaction: PostgresTransaction
    ) async throws -> [UUID: Resolution] {
        let references: SQL = """
            SELECT receipt_id, source_id, reference.text, reference.place
            FROM new CROSS JOIN unnest(string_to_array(names, E'\\x1F')) WITH ORDINALITY AS reference (text, place)
            WHERE state = 'waiting'
            """
        let rows = try await transaction.query(
            """
            WITH new AS (
                SELECT *
                FROM unnest(\(receipts.map(\.id)), \(receipts.map(\.source.rawValue))::text[],
                    \(receipts.map(\.key))::text[], \(receipts.map(\.kind))::text[],
                    \(receipts.map { $0.references.joined(separator: "\u{1F}") })::text[],
                    \(receipts.map(\.state.rawValue))::text[],
                    \(receipts.map { $0.isKnown ? "true" : "false" })::text[],
                    \(PostgresJSONArray(receipts.map(\.report))),
                    \(PostgresNullableArray(receipts.map { Optional($0.receivedAt) }))::timestamptz[],
                    \(PostgresBytesArray(receipts.map { [UInt8]($0.body ?? Data()) })),
                    \(receipts.map { $0.body == nil ? "false" : "true" })::text[],
                    \(PostgresNullableArray(receipts.map { $0.bodyOf?.uuidString.lowercased() }))::text[]::uuid[],
                    \(receipts.map { $0.store?.rawValue ?? "" })::text[],
                    \(PostgresNullableArray(receipts.map(\.shopReference)))::text[])
                    AS new (receipt_id, source_id, event_key, kind, names, state, is_known, report, received_at, body,
                        has_body, body_of, store_id, shop_reference)
            ), resolved AS (
                SELECT DISTINCT ON (receipt_id) receipt_id, delivery_id, is_erased, is_courier_erased,
                    max(set_at) OVER (PARTITION BY receipt_id, delivery_id) AS named_at
                FROM (\(sql: known(references))) AS known ORDER BY receipt_id, set_at IS NOT NULL, place
            ), parts AS (
                SELECT new.*, string_to_array(names, E'\\x1F') AS delivery_names, delivery_id,
                    coalesce(is_erased, false) AS is_erased,
                    coalesce(is_courier_erased, false) AS is_courier_erased,
                    named_at,
                    coalesce(bool_or(is_erased OR is_courier_erased)
                        OVER (PARTITION BY coalesce(body_of, new.receipt_id)), false) AS is_hidden
                FROM new LEFT JOIN resolved ON resolved.receipt_id = new.receipt_id
            ), succeeded AS (
                SELECT part.*, \(sql: successor) AS successor FROM parts AS part
            )
            INSERT INTO receipts (receipt_id, source_id, event_key, kind, delivery_names, state, is_known, delivery_id,
                report, received_at, body, body_of, dismissed_by, dismissed_at, dismissed_reason, store_id,
                shop_reference)
            SELECT receipt_id, source_id, event_key, kind,
                CASE WHEN names = '' OR is_erased THEN '{}' ELSE string_to_array(names, E'\\x1F') END,
                CASE WHEN is_erased THEN 'dismissed' WHEN delivery_id IS NULL THEN state ELSE 'applied' END,
                is_known::boolean, CASE WHEN NOT is_erased THEN delivery_id END,
                CASE WHEN is_erased THEN NULL WHEN is_courier_erased AND jsonb_typeof(report) = 'object'
                    THEN report - 'courier'
                    WHEN successor IS NOT NULL THEN report || jsonb_build_object('successor', successor)
                    ELSE report END,
                received_at, CASE WHEN has_body::boolean AND NOT is_hidden THEN body END, body_of,
                CASE WHEN is_erased THEN \(erasure) END, CASE WHEN is_erased THEN received_at END,
                CASE WHEN is_erased THEN 'the customer is erased' END, store_id,
                CASE WHEN NOT is_erased THEN shop_reference END
            FROM succeeded ORDER BY source_id, event_key
            ON CONFLICT (source_id, event_key) DO NOTHING
            RETURNING receipt_id, delivery_id, report->>'successor' AS successor
            """)
        return try rows.reduce(into: [:]) { new, row in
            new[try row.decode("receipt_id", as: UUID.self)] = Resolution(
                delivery: try row.decode("delivery_id", as: String?.self).flatMap(DeliveryID.init(rawValue:)),
                successor: try row.decode("successor", as: String?.self).flatMap(ProviderID.init(rawValue:)))
        }
    }

    /// Whether a source of this id has received webhooks while it was of another store than this; nil for every store.
    static func hasReceipts(
        of source: SourceID, notOf store: StoreID?, in transaction: PostgresTransaction
    ) async throws -> Bool {
        try await !transaction.query(
            """
            SELECT source_id FROM receipts
            WHERE source_id = \(source.rawValue) AND store_id <> \(store?.rawValue ?? "") LIMIT 1
            """
        ).isEmpty
    }

    /// The deliveries that the receipts' references name.
    static func deliveries(of receipts: [Receipt], on database: some PostgresExecutor) async throws -> Set<DeliveryID> {
        let names = receipts.flatMap { receipt in receipt.references.map { (receipt.source.rawValue, $0) } }
        guard !names.isEmpty else { return [] }
        let references: SQL = """
            SELECT * FROM unnest(\(names.map(\.0))::text[], \(names.map(\.1))::text[]) AS reference (source_id, text)
            """
        let rows = try await database.query(known(references))
        return Set(try rows.compactMap { DeliveryID(rawValue: try $0.decode("delivery_id")) })
    }

    /// References with the delivery that each names: a Doorstep id, or a reference set for the provider.
    ///
    /// A reference never resolves to a delivery of a store outside its source's scope, or outside that of the person
    /// who set it, nor while two stores claim it.
    /// - Parameter references: rows with at least a `source_id` and a `text`.
    private static func known(_ references: SQL) -> SQL {
        """
        SELECT reference.*, deliveries.delivery_id, set_at, deliveries.erased_at IS NOT NULL AS is_erased,
            deliveries.courier_erased_at IS NOT NULL AND deliveries.ended_at IS NOT NULL AS is_courier_erased
        FROM (\(sql: references)) AS reference
        JOIN sources ON sources.source_id = reference.source_id
        LEFT JOIN provider_references ON provider_references.source_id = reference.source_id
            AND provider_references.reference = reference.text
        JOIN deliveries ON deliveries.delivery_id = coalesce(provider_references.delivery_id, reference.text)
        WHERE (sources.store_id IS NULL OR sources.store_id = deliveries.store_id)
            AND (provider_references.store_id IS NULL OR provider_references.store_id = deliveries.store_id)
            AND provider_references.is_contested IS NOT TRUE
        """
    }

    /// Moves the webhook's body to another of its receipts, where the receipt with the body is a repeat.
    ///
    /// A webhook with a report of an erased delivery, or of one whose courier is erased, new or repeated, has no body.
    /// - Parameter webhook: all its receipts.
    static func moveBody(_ body: Data, of absent: UUID, to receipt: UUID, in webhook: [Receipt]) -> [SQL] {
        [
            """
            UPDATE receipts SET body = \(body), body_of = NULL
            WHERE receipt_id = \(receipt) AND NOT EXISTS (
                SELECT FROM unnest(\(webhook.map(\.source.rawValue))::text[], \(webhook.map(\.key))::text[])
                    AS event (source_id, event_key)
                JOIN receipts AS stored ON stored.source_id = event.source_id AND stored.event_key = event.event_key
                LEFT JOIN deliveries ON deliveries.delivery_id = stored.delivery_id
                WHERE stored.dismissed_by = \(erasure)
                    OR deliveries.courier_erased_at IS NOT NULL AND deliveries.ended_at IS NOT NULL)
            """,
            "UPDATE receipts SET body_of = \(receipt) WHERE body_of = \(absent) AND receipt_id <> \(receipt)",
        ]
    }

    /// Counts new reports of deliveries, which their reader is asked about.
    static func count(_ reports: [DeliveryID]) -> [SQL] {
        guard !reports.isEmpty else { return [] }
        let counts = Dictionary(reports.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
        return [
            """
            INSERT INTO reported_deliveries (delivery_id, reports, ended_at)
            SELECT new.delivery_id, new.reports, deliveries.ended_at
            FROM unnest(\(counts.map(\.key.rawValue))::text[], \(counts.map(\.value))) AS new (delivery_id, reports)
            LEFT JOIN deliveries ON deliveries.delivery_id = new.delivery_id
            ON CONFLICT (delivery_id) DO UPDATE SET reports = reported_deliveries.reports + EXCLUDED.reports
            """
        ]
    }

    // MARK: Receipts for people

    /// Receipts without an effect or dismissal; in the form of their index, so that the planner uses it.
    private static let areForPeople: SQL = "state <> 'dismissed' AND (state <> 'applied' OR NOT is_known)"

    /// Dismisses a receipt that is for people, and of a source of the store; every other stays as it is.
    ///
    /// Its delivery and its report stay, which one that was applied counts among the delivery's.
    static func dismiss(
        _ id: UUID, as dismissal: ReceiptBody.Dismissal, within store: StoreID?, on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE receipts SET state = 'dismissed', dismissed_by = \(dismissal.by), dismissed_at = \(dismissal.at),
                dismissed_reason = \(dismissal.reason)
            WHERE receipt_id = \(id) AND \(sql: areForPeople) AND \(sql: store.map(isOfSource) ?? "true")
            """)
    }

    // MARK: Resync

    /// The next rows of a slice of the deliveries with reports.
    static func republishableRows(of slice: RepublishSlice, rowsMax: Int, at now: Date) -> SQL {
        slice.rows("reports", of: "reported_deliveries", id: "delivery_id", at: now, rowsMax: rowsMax)
    }

    /// A row for each report of the deliveries, each with the delivery's id as `republish_id`.
    static func reportRows(_ ids: [String], in transaction: PostgresTransaction) async throws -> [PostgresRow] {
        try await transaction.query(
            """
            SELECT delivery_id AS republish_id, report FROM receipts
            WHERE delivery_id = ANY(\(ids)::text[]) AND report IS NOT NULL ORDER BY delivery_id, received_at
            """)
    }

    static func report(_ row: PostgresRow) throws -> ProviderReport? {
        let text = try row.decode("report", as: String?.self)
        return text == nil ? nil : try row.decodeJSON("report", as: ProviderReport.self)
    }

    // MARK: Lists

    /// A page of receipts, newest first, and the place after it; nil for the last page.
    static func receipts(
        _ filter: ReceiptFilter, rowsMax: Int, on database: some PostgresExecutor
    ) async throws -> (receipts: [ReceiptBody], next: ReceiptCursor?) {
        let rows = try await database.query(statement(filter, rowsMax: rowsMax))
        let page = rows.prefix(rowsMax)
        let last = rows.count > rowsMax ? page.last : nil
        return (
            try page.compactMap { try receipt($0, body: nil) },
            try last.map {
                ReceiptCursor(receivedAt: try $0.decode("received_at"), id: try $0.decode("receipt_id"))
            }
        )
    }

    static func statement(_ filter: ReceiptFilter, rowsMax: Int) -> SQL {
        var condition: SQL = "true"
        if let source = filter.source { condition += " AND source_id = \(source.rawValue)" }
        if let store = filter.store { condition += " AND \(sql: isOfSource(of: store))" }
        if let state = filter.state { condition += " AND state = \(state.rawValue)" }
        if let delivery = filter.delivery { condition += " AND delivery_id = \(delivery.rawValue)" }
        if filter.isUnknown { condition += " AND NOT is_known AND state <> 'unreadable'" }
        let isStateForPeople =
            switch filter.state {
            case .waiting, .quarantined, .unreadable: true
            case .applied, .dismissed, nil: false
            }
        if filter.isUnknown || isStateForPeople { condition += " AND \(sql: areForPeople)" }
        if let before = filter.before {
            condition += " AND (received_at, receipt_id) < (\(before.receivedAt), \(before.id))"
        }
        return """
            SELECT receipt_id, source_id, kind, delivery_names, state, is_known, delivery_id, received_at,
                dismissed_by, dismissed_at, dismissed_reason
            FROM receipts WHERE \(sql: condition) ORDER BY received_at DESC, receipt_id DESC LIMIT \(rowsMax + 1)
            """
    }

    /// Whether the source was of the store when it received the webhook.
    private static func isOfSource(of store: StoreID) -> SQL { "receipts.store_id = \(store.rawValue)" }

    /// One receipt with its webhook; nil for an unknown receipt, or one of another store's source.
    static func receipt(
        _ id: UUID, within store: StoreID?, on database: some PostgresExecutor
    ) async throws -> ReceiptBody? {
        try await database.query(
            """
            SELECT receipts.receipt_id, receipts.source_id, receipts.kind, receipts.delivery_names, receipts.state,
                receipts.is_known, receipts.delivery_id, receipts.received_at, receipts.dismissed_by,
                receipts.dismissed_at, receipts.dismissed_reason, coalesce(receipts.body, whole.body) AS body
            FROM receipts LEFT JOIN receipts AS whole ON whole.receipt_id = receipts.body_of
            WHERE receipts.receipt_id = \(id) AND \(sql: store.map(isOfSource) ?? "true")
            """
        ).first.flatMap { row in
            try receipt(
                row, body: String(decoding: try row.decode("body", as: [UInt8]?.self) ?? [], as: UTF8.self))
        }
    }

    private static func receipt(_ row: PostgresRow, body: String?) throws -> ReceiptBody? {
        guard let source = SourceID(rawValue: try row.decode("source_id")),
            let state = ReceiptBody.State(rawValue: try row.decode("state"))
        else { return nil }
        let dismissal = try row.decode("dismissed_at", as: Date?.self).map { at in
            ReceiptBody.Dismissal(
                by: try row.decode("dismissed_by"), at: at, reason: try row.decode("dismissed_reason"))
        }
        return ReceiptBody(
            id: try row.decode("receipt_id", as: UUID.self).uuidString.lowercased(), source: source,
            kind: try row.decode("kind"), references: try row.decode("delivery_names"), state: state,
            isKnown: try row.decode("is_known"),
            delivery: try row.decode("delivery_id", as: String?.self).flatMap(DeliveryID.init),
            receivedAt: try row.decode("received_at"), dismissal: dismissal, body: body)
    }

    /// The number of receipts of each kind that wait for a person.
    static func countsForPeople(on database: some PostgresExecutor) async throws -> [String: Int] {
        try await database.query(
            """
            SELECT CASE WHEN state = 'applied' THEN 'unknown' ELSE state END AS state, count(*) AS count
            FROM receipts WHERE \(sql: areForPeople) GROUP BY 1
            """
        ).reduce(into: [:]) { $0[try $1.decode("state")] = try $1.decode("count") }
    }

    static func delete(receivedBefore: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        try await pool.delete(from: "receipts", where: "received_at < \(receivedBefore)", inBatchesOf: rowsMax)
    }
}
