import DeliveryProviders
import Foundation
import OrderDomain
import PostgresClient

extension ReceiptRepository {
    // MARK: Successors

    /// The statuses by which a provider ends its part in a delivery, before the pickup.
    private static let withdrawals = [StatusCode.unassigned, .cancelled, .failed].map(\.rawValue)
    /// Reports of sources of CloudEvents about couriers; in the form of their index, so that the planner uses it.
    private static let isOfCourier: SQL = """
        report->>'source' = 'cloudevents'
            AND (report->'courier' IS NOT NULL OR report->>'status' IN ('assigned', 'to_store', 'at_store'))
        """

    /// The providers whose webhooks name a delivery once, by the shop's reference.
    private static let shopNamed = [DeliveryProvider.doorDash, .cloudEvents].map(\.rawValue)

    /// The reports of the delivery by the source of a `part`, in stored receipts and in those of the same statement.
    private static let reported: SQL = """
        SELECT received_at, report FROM receipts
        WHERE receipts.delivery_id = part.delivery_id AND receipts.source_id = part.source_id
        UNION ALL
        SELECT received_at, report FROM parts
        WHERE parts.delivery_id = part.delivery_id AND parts.source_id = part.source_id
        """

    /// The provider whose reference was set after that of a `part`, or after its source's first receipt; null for none.
    ///
    /// A source of CloudEvents may be the shop's own system: it has no successor until it has reported a courier of the
    /// delivery, and it is none until it has reported a courier of any. The same job under another source of its
    /// provider is no successor either, by an id that the provider made. A `part` is a row of `parts`, the statement's
    /// receipts, with the columns `source_id`, `delivery_id`, `delivery_names`, `shop_reference`, `report`,
    /// `received_at` and `named_at`, when its latest reference was set.
    static let successor: SQL = """
        CASE WHEN part.report->>'status' = ANY(\(withdrawals)::text[]) THEN (
            SELECT coalesce(next.provider, later.provider) FROM provider_references AS later
            -- None for a source that was deleted, and may be added again.
            LEFT JOIN sources AS next ON next.source_id = later.source_id
            JOIN sources AS own ON own.source_id = part.source_id
            WHERE later.delivery_id = part.delivery_id AND NOT later.is_contested
                AND CASE WHEN part.named_at IS NOT NULL THEN later.set_at > part.named_at
                    ELSE later.source_id <> part.source_id AND later.set_at > (
                        SELECT min(received_at) FROM (\(sql: reported)) AS reported) END
                AND NOT (coalesce(next.provider, later.provider) = own.provider AND later.reference = ANY(part.delivery_names)
                    AND later.reference IS DISTINCT FROM part.shop_reference)
                AND (own.provider <> \(DeliveryProvider.cloudEvents.rawValue) OR EXISTS (
                    SELECT FROM (\(sql: reported)) AS reported WHERE \(sql: isOfCourier)))
                AND (coalesce(next.provider, later.provider) <> \(DeliveryProvider.cloudEvents.rawValue) OR EXISTS (
                    SELECT FROM receipts WHERE receipts.source_id = later.source_id AND \(sql: isOfCourier)))
            ORDER BY later.set_at DESC LIMIT 1) END
        """

    // MARK: Waiting receipts

    /// Receipts that waited for one of these deliveries, with their successors, locked until the transaction ends.
    static func lockWaiting(
        for deliveries: [DeliveryID], in transaction: PostgresTransaction
    ) async throws -> [(id: UUID, delivery: DeliveryID, report: ProviderReport?)] {
        let ids = deliveries.map(\.rawValue)
        let rows = try await transaction.query(
            """
            WITH names AS (
                SELECT NULL::text AS source_id, id AS name, id AS delivery_id, NULL::text AS store_id,
                    NULL::timestamptz AS set_at
                FROM unnest(\(ids)::text[]) AS id
                UNION ALL
                SELECT source_id, reference, delivery_id, store_id, set_at FROM provider_references
                WHERE delivery_id = ANY(\(ids)::text[]) AND NOT is_contested
            ), parts AS (
                SELECT DISTINCT ON (receipts.receipt_id) receipts.receipt_id, receipts.source_id, names.delivery_id,
                    receipts.delivery_names, receipts.report, receipts.received_at,
                    -- A replica of 0.29 leaves the column null.
                    CASE WHEN sources.provider = ANY(\(shopNamed)::text[]) THEN receipts.delivery_names[1]
                        ELSE receipts.shop_reference END AS shop_reference,
                    max(names.set_at) OVER (PARTITION BY receipts.receipt_id, names.delivery_id) AS named_at
                FROM names
                JOIN deliveries ON deliveries.delivery_id = names.delivery_id
                JOIN receipts ON receipts.state = 'waiting' AND receipts.delivery_names @> ARRAY[names.name]
                    AND (names.source_id IS NULL OR names.source_id = receipts.source_id)
                JOIN sources ON sources.source_id = receipts.source_id
                WHERE (sources.store_id IS NULL OR sources.store_id = deliveries.store_id)
                    AND coalesce(receipts.store_id, '') IN ('', deliveries.store_id)
                    AND (names.store_id IS NULL OR names.store_id = deliveries.store_id)
                    AND deliveries.erased_at IS NULL
                ORDER BY receipts.receipt_id, names.source_id IS NOT NULL,
                    array_position(receipts.delivery_names, names.name)
            )
            SELECT receipt_id, delivery_id, report, \(sql: successor) AS successor
            FROM parts AS part ORDER BY receipt_id
            """)
        guard !rows.isEmpty else { return [] }
        let found = try rows.map { try $0.decode("receipt_id", as: UUID.self) }
        // Concurrent transactions that apply the same receipts wait here, and find them applied.
        let locked = try await transaction.query(
            """
            SELECT receipt_id FROM receipts WHERE receipt_id = ANY(\(found)) AND state = 'waiting'
            ORDER BY receipt_id FOR NO KEY UPDATE
            """)
        let free = Set(try locked.map { try $0.decode("receipt_id", as: UUID.self) })
        return try rows.compactMap { row in
            let id = try row.decode("receipt_id", as: UUID.self)
            guard free.contains(id), let delivery = DeliveryID(rawValue: try row.decode("delivery_id")) else {
                return nil
            }
            var report = try Self.report(row)
            report?.successor = try row.decode("successor", as: String?.self).flatMap(ProviderID.init(rawValue:))
            return (id, delivery, report)
        }
    }

    static func markApplied(_ receipts: [(id: UUID, delivery: DeliveryID, report: ProviderReport?)]) -> SQL {
        """
        UPDATE receipts SET state = 'applied', delivery_id = new.delivery_id,
            report = CASE WHEN successor IS NULL THEN report
                ELSE report || jsonb_build_object('successor', successor) END
        FROM unnest(\(receipts.map(\.id)), \(receipts.map(\.delivery.rawValue))::text[],
            \(PostgresNullableArray(receipts.map { $0.report?.successor?.rawValue }))::text[])
            AS new (receipt_id, delivery_id, successor)
        WHERE receipts.receipt_id = new.receipt_id
        """
    }
}
