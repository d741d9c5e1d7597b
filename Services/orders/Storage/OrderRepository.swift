import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// The SQL of orders and deliveries.
///
/// Statements that write are values, so that a use case can send all its statements in one round trip.
enum OrderRepository {
    /// The columns that ``record(_:)`` reads.
    static let recordColumns: SQL = "\(sql: ownColumns), \(sql: PINRepository.column)"
    /// The same for locked rows, whose PINs are read once the lock is held.
    private static let lockedColumns: SQL = "\(sql: ownColumns), NULL::text AS pin"
    private static let ownColumns: SQL =
        "snapshot, estimate, cards_count, cards_behind, cards_reason, erased_at IS NOT NULL AS is_erased"

    /// A further column of the record; for reading one delivery, or one order.
    private static let dropOffColumn: SQL = ", drop_off"

    // MARK: Reading

    static func order(_ id: OrderID, on database: some PostgresExecutor) async throws -> Order? {
        try await database.query("SELECT snapshot FROM orders WHERE order_id = \(id.rawValue)").first
            .map { try $0.decodeJSON("snapshot") }
    }

    /// - Parameter box: opens drop-offs; nil where none is read, of records that are not shown.
    static func deliveries(
        of order: OrderID, opening box: PersonalDataBox?, on database: some PostgresExecutor
    ) async throws -> [DeliveryRecord] {
        try await database.query(
            """
            SELECT \(sql: recordColumns) \(sql: dropOffColumn) FROM deliveries
            WHERE order_id = \(order.rawValue) ORDER BY bag_number
            """
        ).map { try recordWithDropOff($0, opening: box) }
    }

    /// The deliveries of several orders, each order's in the order of their bags.
    static func deliveries(
        of orders: [OrderID], on database: some PostgresExecutor
    ) async throws -> [OrderID: [DeliveryRecord]] {
        guard !orders.isEmpty else { return [:] }
        let records = try await database.query(
            """
            SELECT \(sql: recordColumns) FROM deliveries WHERE order_id = ANY(\(orders.map(\.rawValue))::text[])
            ORDER BY order_id, bag_number
            """
        ).map(record)
        return Dictionary(grouping: records, by: \.delivery.order)
    }

    /// - Parameter box: opens the drop-off; nil where none is read, of a record that is not shown.
    static func delivery(
        _ id: DeliveryID, opening box: PersonalDataBox?, on database: some PostgresExecutor
    ) async throws -> DeliveryRecord? {
        try await database.query(
            """
            SELECT \(sql: recordColumns) \(sql: dropOffColumn) FROM deliveries WHERE delivery_id = \(id.rawValue)
            """
        ).first.map { try recordWithDropOff($0, opening: box) }
    }

    /// The delivery, locked until the transaction ends, so that concurrent changes of it are serialized.
    static func lockedDelivery(
        _ id: DeliveryID, opening box: PersonalDataBox?, in transaction: PostgresTransaction
    ) async throws -> DeliveryRecord? {
        try await lockedDeliveries([id], opening: box, in: transaction).first
    }

    /// The deliveries that exist, with or without erased ones, locked in the order of ids until the transaction ends.
    static func lockedDeliveries(
        _ ids: [DeliveryID], erasedToo all: Bool = false, opening box: PersonalDataBox?,
        in transaction: PostgresTransaction
    ) async throws -> [DeliveryRecord] {
        var records = try await transaction.query(
            """
            SELECT \(sql: lockedColumns) \(sql: dropOffColumn) FROM deliveries WHERE (\(all) OR erased_at IS NULL)
                AND delivery_id = ANY(\(ids.map(\.rawValue))::text[]) ORDER BY delivery_id FOR NO KEY UPDATE
            """
        ).map { try recordWithDropOff($0, opening: box) }
        // A statement that waited for a lock has the row of now, and of other tables what was there before.
        let asked = records.map(\.delivery).filter(\.mayHavePIN).map(\.id)
        guard !asked.isEmpty else { return records }
        let pins = try await PINRepository.sealed(of: asked, in: transaction)
        for index in records.indices { records[index].pin = pins[records[index].delivery.id] }
        return records
    }

    /// The next rows of a slice of the deliveries, each with its `revision`.
    ///
    /// The result is rows, not values, so that an undecodable row does not stop the others.
    static func republishableRows(of slice: RepublishSlice, rowsMax: Int, at now: Date) -> SQL {
        slice.rows(
            "\(sql: RepublishSlice.deliveryRevision(in: "snapshot")) AS revision", of: "deliveries", id: "delivery_id",
            at: now, rowsMax: rowsMax)
    }

    /// The rows of records, each with its id as `republish_id`.
    ///
    /// There is none of a delivery whose customer is or was erased, and none of an ended one in which the pseudonym of a
    /// running request is: the other services are given these without the person, and silently.
    static func republishedRows(_ ids: [String], in transaction: PostgresTransaction) async throws -> [PostgresRow] {
        try await transaction.query(
            """
            SELECT \(sql: recordColumns), delivery_id AS republish_id FROM deliveries
            WHERE delivery_id = ANY(\(ids)) AND erased_at IS NULL
                AND (ended_at IS NULL OR NOT EXISTS (
                    SELECT FROM courier_erasures JOIN person_requests USING (person_request_id)
                    WHERE courier_erasures.delivery_id = deliveries.delivery_id AND is_replaced
                        AND person_requests.courier_id IS DISTINCT FROM deliveries.courier_id))
            ORDER BY delivery_id
            """)
    }

    /// A courier's description by the store, or else by the shop; nil without one.
    static func courier(
        _ id: CourierID, of store: StoreID, on database: some PostgresExecutor
    ) async throws -> Courier? {
        try await database.query(
            """
            SELECT snapshot FROM (
                SELECT snapshot, 1 AS rank FROM store_couriers
                WHERE store_id = \(store.rawValue) AND courier_id = \(id.rawValue)
                UNION ALL
                SELECT snapshot, 2 AS rank FROM couriers WHERE courier_id = \(id.rawValue) AND is_shop_wide
            ) AS described ORDER BY rank LIMIT 1
            """
        ).first.map { try $0.decodeJSON("snapshot") }
    }

    static func timeline(_ id: DeliveryID, on database: some PostgresExecutor) async throws -> [TimelineEntry] {
        try await database.query(
            """
            SELECT at, version, kind, what, changed_by, reason, occurred_at, source, report_id, is_late, is_inferred
            FROM timeline WHERE delivery_id = \(id.rawValue) ORDER BY timeline_id
            """
        ).map(timelineEntry)
    }

    static func timelineEntry(_ row: PostgresRow) throws -> TimelineEntry {
        TimelineEntry(
            at: try row.decode("at"), version: try row.decode("version"), kind: try row.decode("kind"),
            summary: try row.decode("what"), by: try row.decode("changed_by"), reason: try row.decode("reason"),
            report: try reportMark(row))
    }

    /// The live order of a store that has this reference; nil where there is none.
    ///
    /// Other orders with it wait until the transaction ends.
    static func lockLiveOrder(
        _ reference: String, of store: StoreID, in transaction: PostgresTransaction
    ) async throws -> OrderID? {
        let name = "\(store)\u{1F}\(reference)"
        let statements: [SQL] = [
            // 1 keeps these locks apart from those of customers, whose seed is 0.
            "SELECT pg_advisory_xact_lock(hashtextextended(\(name), 1))",
            """
            SELECT order_id FROM orders WHERE store_id = \(store.rawValue) AND reference = \(reference)
                AND EXISTS (SELECT FROM deliveries WHERE order_id = orders.order_id AND ended_at IS NULL) LIMIT 1
            """,
        ]
        let results = try await transaction.batch(statements)
        return try results[1].rows.first.flatMap { OrderID(rawValue: try $0.decode("order_id")) }
    }

    private static func reportMark(_ row: PostgresRow) throws -> TimelineEntry.ReportMark? {
        guard let source = try row.decode("source", as: String?.self).flatMap(ProviderID.init) else { return nil }
        return TimelineEntry.ReportMark(
            source: source, id: try row.decode("report_id"), occurredAt: try row.decode("occurred_at"),
            isLate: try row.decode("is_late"), isInferred: try row.decode("is_inferred"))
    }

    static func record(_ row: PostgresRow) throws -> DeliveryRecord {
        let count = try row.decode("cards_count", as: Int?.self)
        return DeliveryRecord(
            delivery: try row.decodeJSON("snapshot"), pin: try row.decode("pin", as: String?.self),
            estimate: try row.decode("estimate", as: String?.self).map { text in
                try WireJSON.decode(Estimate.self, from: Data(text.utf8))
            },
            cardHealth: try count.map {
                .init(count: $0, behind: try row.decode("cards_behind"), reason: try row.decode("cards_reason"))
            },
            isErased: try row.decode("is_erased"))
    }

    // MARK: Writing

    /// The number of a customer's live deliveries; other orders of the customer wait until the transaction ends.
    ///
    /// - Parameter store: the only store whose deliveries count; nil for every store.
    static func lockLive(
        of customer: CustomerID, at store: StoreID? = nil, in transaction: PostgresTransaction
    ) async throws -> Int {
        let customer = customer.rawValue
        let statements: [SQL] = [
            "SELECT pg_advisory_xact_lock(hashtextextended(\(customer), 0))",
            """
            SELECT count(*) AS live FROM deliveries WHERE customer_id = \(customer) AND ended_at IS NULL
                AND (\(store?.rawValue)::text IS NULL OR store_id = \(store?.rawValue))
            """,
        ]
        let results = try await transaction.batch(statements)
        return try results[1].rows.first?.decode("live") ?? 0
    }

    static func insert(_ order: Order) throws -> SQL {
        """
        INSERT INTO orders (order_id, reference, customer_id, store_id, placed_at, changed_at, snapshot)
        VALUES (\(order.id.rawValue), \(order.reference), \(order.customer.rawValue), \(order.store.id.rawValue),
            \(order.placedAt), \(order.placedAt), \(try json(order))::jsonb)
        """
    }

    static func insert(_ delivery: Delivery, _ dropOff: DropOff?, by box: PersonalDataBox) throws -> SQL {
        """
        INSERT INTO deliveries (delivery_id, order_id, bag_number, customer_id, store_id, status, courier_status,
            flags, version, promise_end, at_risk_from, snapshot, drop_off)
        VALUES (\(delivery.id.rawValue), \(delivery.order.rawValue), \(delivery.bag.number),
            \(delivery.customer.rawValue), \(delivery.store.id.rawValue), \(delivery.status.code.rawValue),
            \(delivery.status.courierStatus?.rawValue), \(delivery.flags.sorted().map(\.rawValue)),
            \(delivery.version), \(delivery.promise.end), \(delivery.atRiskFrom), \(try json(delivery))::jsonb,
            \(try dropOff.map { try box.stored($0, of: delivery.id) })::jsonb)
        """
    }

    /// Replaces several deliveries, each there once; an estimate of another courier goes.
    ///
    /// - Parameter snapshots: the same deliveries in bytes, as messages have them.
    static func update(_ deliveries: [Delivery], snapshots: [Data]) -> SQL {
        """
        UPDATE deliveries SET courier_id = new.courier_id, status = new.status, courier_status = new.courier_status,
            flags = string_to_array(new.flags, ','), version = new.version, promise_end = new.promise_end,
            at_risk_from = new.at_risk_from, ended_at = new.ended_at, disputed_at = new.disputed_at,
            correction_due = new.correction_due, undecided_since = new.undecided_since, snapshot = new.snapshot,
            \(sql: estimateOfCourier)
        FROM unnest(\(deliveries.map(\.id.rawValue))::text[],
            \(PostgresNullableArray(deliveries.map(\.courier?.id.rawValue)))::text[],
            \(deliveries.map(\.status.code.rawValue))::text[],
            \(PostgresNullableArray(deliveries.map(\.status.courierStatus?.rawValue)))::text[],
            \(deliveries.map { $0.flags.sorted().map(\.rawValue).joined(separator: ",") })::text[],
            \(deliveries.map(\.version)), \(PostgresNullableArray(deliveries.map(\.promise.end)))::timestamptz[],
            \(PostgresNullableArray(deliveries.map(\.atRiskFrom)))::timestamptz[],
            \(PostgresNullableArray(deliveries.map(\.endedAt)))::timestamptz[],
            \(PostgresNullableArray(deliveries.map(\.disputedAt)))::timestamptz[],
            \(deliveries.map { $0.correctionsDue == nil ? "false" : "true" })::text[]::boolean[],
            \(PostgresNullableArray(deliveries.map(\.proof?.undecidedSince)))::timestamptz[],
            \(PostgresJSONArray(encoded: snapshots)))
            AS new (delivery_id, courier_id, status, courier_status, flags, version, promise_end, at_risk_from,
                ended_at, disputed_at, correction_due, undecided_since, snapshot)
        WHERE deliveries.delivery_id = new.delivery_id
        """
    }

    /// Records that orders have changed at a domain time, for readers who request changes since another time.
    static func recordChange(of orders: [OrderID], at now: Date) -> SQL {
        // Locked in one order, so that two transactions that change the same orders never deadlock.
        """
        UPDATE orders SET changed_at = greatest(changed_at, \(now)) WHERE order_id IN (
            SELECT order_id FROM orders WHERE order_id = ANY(\(orders.map(\.rawValue))::text[])
            ORDER BY order_id FOR NO KEY UPDATE)
        """
    }

    static func insert(_ entries: [(delivery: DeliveryID, entry: TimelineEntry)]) throws -> SQL {
        """
        INSERT INTO timeline (delivery_id, at, version, kind, what, changed_by, reason, reversal)
        SELECT * FROM unnest(\(entries.map(\.delivery.rawValue))::text[],
            \(PostgresNullableArray(entries.map(\.entry.at)))::timestamptz[], \(entries.map(\.entry.version))::integer[],
            \(entries.map(\.entry.kind))::text[], \(entries.map(\.entry.summary))::text[],
            \(entries.map(\.entry.by))::text[], \(PostgresNullableArray(entries.map(\.entry.reason)))::text[],
            \(PostgresNullableArray(try entries.map { try $0.entry.reversal.map(json) }))::text[]::jsonb[])
        """
    }

    /// Adds providers' reports, once for each report.
    static func insertReported(_ entries: [(delivery: DeliveryID, entry: TimelineEntry)]) throws -> SQL {
        let marks = entries.map(\.entry.report)
        return """
            INSERT INTO timeline (delivery_id, at, version, kind, what, changed_by, reason, occurred_at, source,
                report_id, is_late, is_inferred, reversal)
            SELECT * FROM unnest(\(entries.map(\.delivery.rawValue))::text[],
                \(PostgresNullableArray(entries.map(\.entry.at)))::timestamptz[],
                \(entries.map(\.entry.version))::integer[], \(entries.map(\.entry.kind))::text[],
                \(entries.map(\.entry.summary))::text[], \(entries.map(\.entry.by))::text[],
                \(PostgresNullableArray(entries.map(\.entry.reason)))::text[],
                \(PostgresNullableArray(marks.map { $0?.occurredAt }))::timestamptz[],
                \(PostgresNullableArray(marks.map { $0?.source.rawValue }))::text[],
                \(PostgresNullableArray(marks.map { $0?.id }))::text[],
                \(marks.map { $0?.isLate == true ? "true" : "false" })::text[]::boolean[],
                \(marks.map { $0?.isInferred == true ? "true" : "false" })::text[]::boolean[],
                \(PostgresNullableArray(try entries.map { try $0.entry.reversal.map(json) }))::text[]::jsonb[])
            ON CONFLICT (delivery_id, source, report_id) WHERE report_id IS NOT NULL DO NOTHING
            """
    }

    /// Saves the description of a courier, for later assignments by id alone.
    ///
    /// A known description is written again once a day at most, so that retention keeps it.
    /// - Parameter store: the owner of the description; nil for the shop's, which holds for every store.
    static func upsert(_ courier: Courier, of store: StoreID?, at now: Date) throws -> SQL {
        guard let store else {
            return """
                INSERT INTO couriers (courier_id, snapshot, is_shop_wide, described_at)
                VALUES (\(courier.id.rawValue), \(try json(courier))::jsonb, true, \(now))
                ON CONFLICT (courier_id) DO UPDATE
                    SET snapshot = excluded.snapshot, is_shop_wide = true, described_at = excluded.described_at
                    WHERE NOT couriers.is_shop_wide OR couriers.snapshot IS DISTINCT FROM excluded.snapshot
                        OR couriers.described_at IS NULL
                        OR couriers.described_at < excluded.described_at - interval '1 day'
                """
        }
        return """
            INSERT INTO store_couriers (store_id, courier_id, snapshot, described_at)
            VALUES (\(store.rawValue), \(courier.id.rawValue), \(try json(courier))::jsonb, \(now))
            ON CONFLICT (store_id, courier_id) DO UPDATE
                SET snapshot = excluded.snapshot, described_at = excluded.described_at
                WHERE store_couriers.snapshot IS DISTINCT FROM excluded.snapshot OR store_couriers.described_at IS NULL
                    OR store_couriers.described_at < excluded.described_at - interval '1 day'
            """
    }

    // MARK: Writers' queries

    static func json(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(value), as: UTF8.self)
    }
}

extension PostgresRow {
    /// A JSON column in the form that messages have.
    func decodeJSON<Value: Decodable>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
        try WireJSON.decode(type, from: Data(try decode(column, as: String.self).utf8))
    }
}
