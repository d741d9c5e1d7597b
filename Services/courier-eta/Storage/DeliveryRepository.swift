import Foundation
import Messages
public import OrderDomain
public import PostgresClient
import ReliableMessaging
import WireCoding

extension DeliveryID: PostgresBindable, PostgresDecodable {}
extension CourierID: PostgresBindable, PostgresDecodable {}
extension CustomerID: PostgresBindable, PostgresDecodable {}
extension StoreID: PostgresDecodable {}

/// The SQL of tracked deliveries.
///
/// A transaction that locks several rows locks the courier first, then deliveries in the order of their ids.
enum DeliveryRepository {
    private static let columns: SQL = "snapshot, tracking, step"

    // MARK: Reads

    static func delivery(_ id: DeliveryID, on database: some PostgresExecutor) async throws -> TrackedDelivery? {
        try await database.query("SELECT \(sql: columns) FROM deliveries WHERE delivery_id = \(id)")
            .first.map(tracked)
    }

    /// The known ones of the deliveries.
    static func deliveries(
        _ ids: [DeliveryID], on database: some PostgresExecutor
    ) async throws -> [DeliveryID: TrackedDelivery] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await database.query(
            "SELECT \(sql: columns) FROM deliveries WHERE delivery_id = ANY(\(ids.map(\.rawValue)))")
        return Dictionary(uniqueKeysWithValues: try rows.map(tracked).map { ($0.delivery.id, $0) })
    }

    /// The delivery, locked until the transaction ends.
    static func lockedDelivery(_ id: DeliveryID, in transaction: PostgresTransaction) async throws -> TrackedDelivery? {
        try await transaction.query(
            "SELECT \(sql: columns) FROM deliveries WHERE delivery_id = \(id) FOR NO KEY UPDATE"
        )
        .first.map(tracked)
    }

    /// The known ones of the deliveries, locked until the transaction ends.
    static func lockedDeliveries(
        _ ids: [DeliveryID], in transaction: PostgresTransaction
    ) async throws -> [DeliveryID: TrackedDelivery] {
        let rows = try await transaction.query(
            """
            SELECT \(sql: columns) FROM deliveries WHERE delivery_id = ANY(\(ids.map(\.rawValue)))
            ORDER BY delivery_id FOR NO KEY UPDATE
            """)
        return Dictionary(uniqueKeysWithValues: try rows.map(tracked).map { ($0.delivery.id, $0) })
    }

    /// A courier's live deliveries, in the order of ids.
    static func live(of courier: CourierID, on database: some PostgresExecutor) async throws -> [TrackedDelivery] {
        try await database.query(
            """
            SELECT \(sql: columns) FROM deliveries
            WHERE courier_id = \(courier) AND ended_at IS NULL ORDER BY delivery_id
            """
        ).map(tracked)
    }

    /// A courier as of their newest delivery, ended ones included; nil without one.
    static func newestCourier(_ id: CourierID, on database: some PostgresExecutor) async throws -> Courier? {
        try await database.query(
            """
            SELECT \(sql: columns) FROM deliveries WHERE courier_id = \(id)
            ORDER BY courier_since DESC NULLS LAST LIMIT 1
            """
        ).first.map(tracked)?.delivery.courier
    }

    /// The stores of the couriers' live deliveries.
    static func stores(
        of couriers: [CourierID], on database: some PostgresExecutor
    ) async throws -> [CourierID: Set<StoreID>] {
        guard !couriers.isEmpty else { return [:] }
        let rows = try await database.query(
            """
            SELECT DISTINCT courier_id, store_id FROM deliveries
            WHERE courier_id = ANY(\(couriers.map(\.rawValue))) AND ended_at IS NULL
            """)
        return try rows.reduce(into: [:]) { stores, row in
            let courier: CourierID = try row.decode("courier_id")
            stores[courier, default: []].insert(try row.decode("store_id"))
        }
    }

    /// A courier's live deliveries, in the order of the trip.
    struct Trip: Sendable {
        var deliveries: [DeliveryID] = []
        /// Whether the courier's phone is silent for one of them, as `orders` and customers read it.
        var isSilent = false
    }

    /// The trips of the couriers; none for one without a live delivery.
    static func trips(
        of couriers: [CourierID], on database: some PostgresExecutor
    ) async throws -> [CourierID: Trip] {
        guard !couriers.isEmpty else { return [:] }
        let rows = try await database.query(
            """
            SELECT courier_id, delivery_id, \(sql: isSilent) AS is_silent FROM deliveries
            WHERE courier_id = ANY(\(couriers.map(\.rawValue))) AND ended_at IS NULL
            ORDER BY courier_id, coalesce((snapshot->'delivery'->>'stopsBefore')::integer, 0), delivery_id
            """)
        return try rows.reduce(into: [:]) { trips, row in
            let courier: CourierID = try row.decode("courier_id")
            let isSilent: Bool = try row.decode("is_silent")
            trips[courier, default: Trip()].deliveries.append(try row.decode("delivery_id"))
            if isSilent { trips[courier]?.isSilent = true }
        }
    }

    /// Whether the courier's phone is silent, as the milestones of the row's delivery have it.
    static let isSilent: SQL = "coalesce((tracking -> 'detector' ->> 'isSilent')::boolean, false)"

    /// The next rows of a slice of the deliveries, each with its `revision`, its `detector`, and whether it has a
    /// published estimate and errors of arrivals.
    static func republishableRows(of slice: RepublishSlice, rowsMax: Int, at now: Date) -> SQL {
        slice.rows(
            """
            \(sql: RepublishSlice.deliveryRevision(in: "snapshot -> 'delivery'")) AS revision, step,
                tracking -> 'detector' AS detector, tracking -> 'published' IS NOT NULL
                    OR \(sql: isSilent) AND tracking -> 'estimate' IS NOT NULL
                    AS has_estimate, tracking -> 'arrivalErrors' IS NOT NULL AS has_errors
            """, of: "deliveries", id: "delivery_id", at: now, rowsMax: rowsMax)
    }

    /// The rows of tracked deliveries, each with its id as `republish_id`.
    static func republishedRows(_ ids: [String], in transaction: PostgresTransaction) async throws -> [PostgresRow] {
        try await transaction.query(
            """
            SELECT \(sql: columns), delivery_id AS republish_id FROM deliveries
            WHERE delivery_id = ANY(\(ids)) ORDER BY delivery_id
            """)
    }

    /// The indexes of revisions whose delivery is unknown or older.
    static func lacking(_ revisions: [PublishedRevision], on database: some PostgresExecutor) async throws -> [Int] {
        try await database.places(
            in: revisions,
            lacking: """
                LEFT JOIN deliveries ON delivery_id = id
                WHERE delivery_id IS NULL OR deliveries.version < published.version
                """)
    }

    static func tracked(_ row: PostgresRow) throws -> TrackedDelivery {
        let text = try row.decode("snapshot", as: String.self)
        return TrackedDelivery(
            change: try WireJSON.decode(DeliveryChanged.self, from: Data(text.utf8)),
            tracking: try row.decodeJSON("tracking"), step: try row.decode("step"))
    }

    // MARK: Writes

    /// Inserts a delivery that was not known; false when another replica was first.
    static func insert(_ tracked: TrackedDelivery, in transaction: PostgresTransaction) async throws -> Bool {
        let delivery = tracked.delivery
        return try await transaction.execute(
            """
            INSERT INTO deliveries (delivery_id, version, customer_id, courier_id, courier_since, ended_at, snapshot,
                tracking, step)
            VALUES (\(delivery.id), \(delivery.version), \(delivery.customer), \(delivery.courier?.id),
                \(delivery.courier == nil ? nil : tracked.change.changedAt), \(delivery.endedAt),
                \(try wire(tracked.change)), \(PostgresJSON(tracked.tracking)), \(tracked.step))
            ON CONFLICT (delivery_id) DO NOTHING
            """) > 0
    }

    /// Replaces the snapshot and the tracking state.
    static func update(_ tracked: TrackedDelivery) throws -> SQL {
        let delivery = tracked.delivery
        return """
            UPDATE deliveries SET version = \(delivery.version), courier_id = \(delivery.courier?.id),
                courier_since = CASE WHEN courier_id IS DISTINCT FROM \(delivery.courier?.id)::text
                    THEN \(tracked.change.changedAt)::timestamptz ELSE courier_since END,
                ended_at = \(delivery.endedAt), snapshot = \(try wire(tracked.change)),
                tracking = \(PostgresJSON(tracked.tracking)), step = \(tracked.step), revision = revision + 1
            WHERE delivery_id = \(delivery.id)
            """
    }

    /// Replaces the tracking state.
    static func updateTracking(_ tracked: TrackedDelivery) -> SQL {
        """
        UPDATE deliveries SET tracking = \(PostgresJSON(tracked.tracking)), step = \(tracked.step),
            revision = revision + 1
        WHERE delivery_id = \(tracked.delivery.id)
        """
    }

    /// Puts erased deliveries in the place of what is known of them, and of what late messages would bring.
    ///
    /// Their legs and dwells are not learned from any more: the tracking state is gone.
    static func replaceErased(_ erased: [TrackedDelivery]) throws -> SQL {
        let deliveries = erased.map(\.delivery)
        return """
            INSERT INTO deliveries AS known (delivery_id, version, customer_id, courier_id, ended_at, snapshot, tracking,
                is_summarized)
            SELECT *, true FROM unnest(\(deliveries.map(\.id.rawValue))::text[], \(deliveries.map(\.version)),
                \(deliveries.map(\.customer.rawValue))::text[],
                \(PostgresNullableArray(deliveries.map(\.courier?.id.rawValue)))::text[],
                \(PostgresNullableArray(deliveries.map(\.endedAt)))::timestamptz[],
                \(PostgresJSONArray(encoded: try erased.map { try WireJSON.encode($0.change) })),
                \(PostgresJSONArray(erased.map(\.tracking))))
            ORDER BY 1
            ON CONFLICT (delivery_id) DO UPDATE SET version = greatest(known.version, excluded.version),
                customer_id = excluded.customer_id, ended_at = coalesce(known.ended_at, excluded.ended_at),
                snapshot = excluded.snapshot, tracking = excluded.tracking, is_summarized = true,
                revision = known.revision + 1
            """
    }

    /// Removes the doors of deliveries, as they are stored, from the stops and the ways that other deliveries remember.
    ///
    /// Deliveries that ended before 0.33 remember them too.
    static func forgetDoors(of ids: [String]) -> SQL {
        """
        WITH doors AS MATERIALIZED (
            SELECT snapshot->'delivery'->'door' AS door FROM deliveries
            WHERE delivery_id = ANY(\(ids)) AND snapshot->'delivery'->'door' IS NOT NULL
        ), remembering AS MATERIALIZED (
            SELECT delivery_id, tracking FROM deliveries
            WHERE EXISTS (
                SELECT FROM doors
                WHERE deliveries.tracking->'otherStops' @> jsonb_build_array(door)
                    OR deliveries.tracking->'wayOrigin' = door)
            ORDER BY delivery_id FOR NO KEY UPDATE
        )
        UPDATE deliveries SET revision = deliveries.revision + 1,
            tracking = jsonb_set(remembering.tracking, '{otherStops}', coalesce((
                SELECT jsonb_agg(stop ORDER BY place)
                FROM jsonb_array_elements(remembering.tracking->'otherStops') WITH ORDINALITY AS stops (stop, place)
                WHERE stop NOT IN (SELECT door FROM doors)), '[]'), false)
                - CASE WHEN remembering.tracking->'wayOrigin' IN (SELECT door FROM doors) THEN 'wayOrigin' ELSE '' END
        FROM remembering WHERE deliveries.delivery_id = remembering.delivery_id
        """
    }

    /// Puts a delivery without its erased courier in the place of the known one, with its tracking state.
    ///
    /// An ended one's leg is not learned from.
    static func replaceCourier(_ tracked: TrackedDelivery) throws -> SQL {
        let delivery = tracked.delivery
        return """
            UPDATE deliveries SET version = \(delivery.version), courier_id = \(delivery.courier?.id),
                ended_at = \(delivery.endedAt), snapshot = \(try wire(tracked.change)),
                tracking = \(PostgresJSON(tracked.tracking)),
                is_summarized = is_summarized OR \(delivery.endedAt != nil ? "true" : "false")::text::boolean,
                revision = revision + 1
            WHERE delivery_id = \(delivery.id)
            """
    }

    /// Inserts ended deliveries, against which late messages lose.
    static func insertEnded(_ ended: [TrackedDelivery]) throws -> SQL {
        let deliveries = ended.map(\.delivery)
        return """
            INSERT INTO deliveries (delivery_id, version, customer_id, courier_id, ended_at, snapshot, tracking,
                is_summarized)
            SELECT *, true FROM unnest(\(deliveries.map(\.id.rawValue))::text[], \(deliveries.map(\.version)),
                \(deliveries.map(\.customer.rawValue))::text[],
                \(PostgresNullableArray(deliveries.map(\.courier?.id.rawValue)))::text[],
                \(PostgresNullableArray(deliveries.map(\.endedAt)))::timestamptz[],
                \(PostgresJSONArray(encoded: try ended.map { try WireJSON.encode($0.change) })),
                \(PostgresJSONArray(ended.map(\.tracking))))
            ORDER BY 1 ON CONFLICT (delivery_id) DO NOTHING
            """
    }

    static func delete(endedBefore date: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        try await pool.execute(
            inBatchesOf: rowsMax,
            """
            DELETE FROM deliveries WHERE delivery_id IN
                (SELECT delivery_id FROM deliveries WHERE ended_at < \(date) LIMIT \(rowsMax))
            """)
    }

    // MARK: Of many couriers at once

    /// Locks the couriers' live deliveries in the order of ids; reads only those that are unknown at their revision.
    static func lockingLive(of couriers: [CourierID], known: [(id: DeliveryID, revision: Int)]) -> SQL {
        """
        SELECT deliveries.delivery_id, courier_id, deliveries.revision, step,
            CASE WHEN known.revision = deliveries.revision THEN NULL ELSE snapshot END AS snapshot,
            CASE WHEN known.revision = deliveries.revision THEN NULL ELSE tracking END AS tracking
        FROM deliveries LEFT JOIN unnest(\(known.map(\.id.rawValue))::text[], \(known.map(\.revision))::bigint[])
            AS known (delivery_id, revision) ON known.delivery_id = deliveries.delivery_id
        WHERE courier_id = ANY(\(couriers.map(\.rawValue))) AND ended_at IS NULL
        ORDER BY deliveries.delivery_id FOR NO KEY UPDATE OF deliveries
        """
    }

    /// A row of ``lockingLive(of:known:)``.
    ///
    /// - Parameter cached: the delivery as it was known.
    static func live(
        _ row: PostgresRow, cached: (CourierID, DeliveryID) -> CourierCache.LiveDelivery?
    ) throws -> (courier: CourierID, delivery: CourierCache.LiveDelivery) {
        let courier: CourierID = try row.decode("courier_id")
        let id: DeliveryID = try row.decode("delivery_id")
        if try row.decode("snapshot", as: String?.self) == nil, let known = cached(courier, id) {
            return (courier, known)
        }
        let tracked = try tracked(row)
        let live = CourierCache.LiveDelivery(
            revision: try row.decode("revision"), tracked: tracked,
            storedAt: tracked.tracking.estimate?.madeAt ?? .distantPast)
        return (courier, live)
    }

    /// Replaces the tracking state of several, each with the revision that its row then has.
    static func updatingTracking(_ deliveries: [(tracked: TrackedDelivery, revision: Int)]) -> SQL {
        """
        UPDATE deliveries SET tracking = new.tracking, step = new.step, revision = new.revision
        FROM unnest(\(deliveries.map(\.tracked.delivery.id.rawValue))::text[],
            \(PostgresJSONArray(deliveries.map(\.tracked.tracking))), \(deliveries.map(\.tracked.step)),
            \(deliveries.map(\.revision))) AS new (delivery_id, tracking, step, revision)
        WHERE deliveries.delivery_id = new.delivery_id
        """
    }

    private static func wire(_ value: some Encodable) throws -> PostgresJSON {
        PostgresJSON(text: String(decoding: try WireJSON.encode(value), as: UTF8.self))
    }
}
