import ArrivalEstimate
import Foundation
import Messages
public import OrderDomain
public import PostgresClient
import WireCoding

extension DeliveryID: PostgresBindable, PostgresDecodable {}
extension CourierID: PostgresBindable, PostgresDecodable {}
extension CustomerID: PostgresBindable, PostgresDecodable {}

/// The SQL of deliveries, couriers and fixes.
///
/// Whoever locks several rows locks the courier first, then deliveries in the order of their ids.
enum CourierETARepository {
    private static let watchedColumns: SQL = "snapshot, watch, step"

    // MARK: Deliveries

    static func delivery(_ id: DeliveryID, on database: some PostgresExecutor) async throws -> WatchedDelivery? {
        try await database.query("SELECT \(sql: watchedColumns) FROM deliveries WHERE delivery_id = \(id)")
            .first.map(watched)
    }

    /// The delivery, locked until the transaction ends.
    static func lockedDelivery(_ id: DeliveryID, in transaction: PostgresTransaction) async throws -> WatchedDelivery? {
        try await transaction.query(
            "SELECT \(sql: watchedColumns) FROM deliveries WHERE delivery_id = \(id) FOR UPDATE"
        )
        .first.map(watched)
    }

    /// Those of the deliveries that are known, locked until the transaction ends.
    static func lockedDeliveries(
        _ ids: [DeliveryID], in transaction: PostgresTransaction
    ) async throws -> [DeliveryID: WatchedDelivery] {
        let rows = try await transaction.query(
            """
            SELECT \(sql: watchedColumns) FROM deliveries WHERE delivery_id = ANY(\(ids.map(\.rawValue)))
            ORDER BY delivery_id FOR UPDATE
            """)
        return Dictionary(uniqueKeysWithValues: try rows.map(watched).map { ($0.delivery.id, $0) })
    }

    /// What a courier is under way with, in the order of ids.
    static func live(of courier: CourierID, on database: some PostgresExecutor) async throws -> [WatchedDelivery] {
        try await database.query(
            """
            SELECT \(sql: watchedColumns) FROM deliveries
            WHERE courier_id = \(courier) AND ended_at IS NULL ORDER BY delivery_id
            """
        ).map(watched)
    }

    /// Rows of what is live or ended after `endedAfter`, in the order of `delivery_id` after `cursor`: what healing goes
    /// through.
    static func toHeal(
        after cursor: String, rowsMax: Int, endedAfter: Date, in transaction: PostgresTransaction
    ) async throws -> [PostgresRow] {
        try await transaction.query(
            """
            SELECT delivery_id, \(sql: watchedColumns) FROM deliveries
            WHERE delivery_id > \(cursor) AND (ended_at IS NULL OR ended_at > \(endedAfter))
            ORDER BY delivery_id LIMIT \(rowsMax)
            """)
    }

    /// Takes a delivery in that was not known; false when another replica was first.
    static func insert(_ watched: WatchedDelivery, in transaction: PostgresTransaction) async throws -> Bool {
        let delivery = watched.delivery
        return try await transaction.execute(
            """
            INSERT INTO deliveries (delivery_id, version, customer_id, courier_id, courier_since, ended_at, snapshot,
                watch, step)
            VALUES (\(delivery.id), \(delivery.version), \(delivery.customer), \(delivery.courier?.id),
                \(delivery.courier == nil ? nil : watched.change.changedAt), \(delivery.endedAt),
                \(try wire(watched.change)), \(PostgresJSON(watched.watch)), \(watched.step))
            ON CONFLICT (delivery_id) DO NOTHING
            """) > 0
    }

    /// Replaces the snapshot and what is known beside it.
    static func update(_ watched: WatchedDelivery) throws -> SQL {
        let delivery = watched.delivery
        return """
            UPDATE deliveries SET version = \(delivery.version), courier_id = \(delivery.courier?.id),
                courier_since = CASE WHEN courier_id IS DISTINCT FROM \(delivery.courier?.id)::text
                    THEN \(watched.change.changedAt)::timestamptz ELSE courier_since END,
                ended_at = \(delivery.endedAt), snapshot = \(try wire(watched.change)),
                watch = \(PostgresJSON(watched.watch)), step = \(watched.step), revision = revision + 1
            WHERE delivery_id = \(delivery.id)
            """
    }

    /// Replaces what is known beside the snapshot.
    static func updateWatch(_ watched: WatchedDelivery) -> SQL {
        """
        UPDATE deliveries SET watch = \(PostgresJSON(watched.watch)), step = \(watched.step), revision = revision + 1
        WHERE delivery_id = \(watched.delivery.id)
        """
    }

    static func deleteDeliveries(endedBefore date: Date, on database: some PostgresExecutor) async throws -> Int {
        try await database.execute("DELETE FROM deliveries WHERE ended_at < \(date)")
    }

    // MARK: Couriers

    /// Whether anything of the courier was ever heard.
    static func isKnown(_ courier: CourierID, on database: some PostgresExecutor) async throws -> Bool {
        let row = try await database.query(
            """
            SELECT EXISTS (SELECT FROM couriers WHERE courier_id = \(courier))
                OR EXISTS (SELECT FROM deliveries WHERE courier_id = \(courier) AND ended_at IS NULL) AS known
            """)
        return try row[0].decode("known")
    }

    // MARK: Days

    static func makeDay(of date: Date, on database: some PostgresExecutor) async throws {
        try await database.query("SELECT make_fixes_day((\(date)::timestamptz AT TIME ZONE 'UTC')::date)")
    }

    /// Drops the days that ended before `date`, and says how many.
    static func dropDays(before date: Date, on database: some PostgresExecutor) async throws -> Int {
        let rows = try await database.query(
            "SELECT drop_fixes_days((\(date)::timestamptz AT TIME ZONE 'UTC')::date) AS dropped")
        return try rows[0].decode("dropped")
    }

    // MARK: Columns

    static func watched(_ row: PostgresRow) throws -> WatchedDelivery {
        let text = try row.decode("snapshot", as: String.self)
        return WatchedDelivery(
            change: try WireJSON.decode(DeliveryChanged.self, from: Data(text.utf8)),
            watch: try row.decodeJSON("watch"), step: try row.decode("step"))
    }

    private static func wire(_ value: some Encodable) throws -> PostgresJSON {
        PostgresJSON(text: String(decoding: try WireJSON.encode(value), as: UTF8.self))
    }
}
