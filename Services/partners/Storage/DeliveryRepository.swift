import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// The SQL of the deliveries that this service knows.
enum DeliveryRepository {
    /// The stored knowledge of the deliveries, locked until the transaction ends; unknown deliveries are locked too.
    ///
    /// - Parameter ids: in ascending order, in which they are locked.
    static func lockFollowed(
        _ ids: [DeliveryID], in transaction: PostgresTransaction
    ) async throws -> [DeliveryID: FollowedDelivery] {
        let texts = ids.map(\.rawValue)
        let results = try await transaction.batch([
            "SELECT pg_advisory_xact_lock(hashtextextended(id, 1)) FROM unnest(\(texts)::text[]) AS id",
            """
            SELECT delivery_id, version, seen_version, status, courier_status, summarised_after, summarised_to
            FROM deliveries
            WHERE delivery_id = ANY(\(texts)::text[])
            """,
        ])
        return try results[1].rows.reduce(into: [:]) { known, row in
            guard let id = DeliveryID(rawValue: try row.decode("delivery_id")) else { return }
            let status = try row.decode("status", as: String?.self).flatMap(StatusCode.init)
            let courier = try row.decode("courier_status", as: String?.self).flatMap(CourierStatus.init)
            known[id] = FollowedDelivery(
                version: try row.decode("version"), seenVersion: try row.decode("seen_version"),
                status: status.flatMap { DeliveryStatus($0, courier: courier) },
                summarised: try summarised(row))
        }
    }

    private static func summarised(_ row: PostgresRow) throws -> ClosedRange<Int>? {
        guard let after = try row.decode("summarised_after", as: Int?.self),
            let last = try row.decode("summarised_to", as: Int?.self), after < last
        else { return nil }
        return (after + 1)...last
    }

    /// Records the stores of deliveries, and the times of their ends.
    ///
    /// - Parameter followed: the state after the newest events; a delivery without an entry keeps its own.
    static func upsert(
        _ deliveries: [DeliveryOutline], as followed: [DeliveryID: FollowedDelivery], at now: Date
    ) -> [SQL] {
        guard !deliveries.isEmpty else { return [] }
        let deliveries = deliveries.sorted { $0.id < $1.id }
        let states = deliveries.map { followed[$0.id] }
        func numbers(_ values: [Int?]) -> PostgresNullableArray {
            PostgresNullableArray(values.map { $0.map(String.init) })
        }
        return [
            """
            INSERT INTO deliveries (delivery_id, store_id, seen_version, version, status, courier_status,
                summarised_after, summarised_to, ended_at, seen_at)
            SELECT *, \(now)::timestamptz FROM unnest(\(deliveries.map(\.id.rawValue))::text[],
                \(deliveries.map(\.store.rawValue))::text[], \(numbers(deliveries.map(\.version)))::text[]::integer[],
                \(numbers(states.map { $0?.version }))::text[]::integer[],
                \(PostgresNullableArray(states.map { $0?.status?.code.rawValue }))::text[],
                \(PostgresNullableArray(states.map { $0?.status?.courierStatus?.rawValue }))::text[],
                \(numbers(states.map { $0?.summarised.map { $0.lowerBound - 1 } }))::text[]::integer[],
                \(numbers(states.map { $0?.summarised?.upperBound }))::text[]::integer[],
                \(PostgresNullableArray(deliveries.map(\.endedAt)))::timestamptz[])
            ON CONFLICT (delivery_id) DO UPDATE SET seen_version = EXCLUDED.seen_version,
                ended_at = EXCLUDED.ended_at, seen_at = EXCLUDED.seen_at,
                version = coalesce(EXCLUDED.version, deliveries.version),
                status = coalesce(EXCLUDED.status, deliveries.status),
                courier_status = CASE WHEN EXCLUDED.version IS NULL THEN deliveries.courier_status
                    ELSE EXCLUDED.courier_status END,
                summarised_after = coalesce(EXCLUDED.summarised_after, deliveries.summarised_after),
                summarised_to = coalesce(EXCLUDED.summarised_to, deliveries.summarised_to)
            WHERE deliveries.seen_version <= EXCLUDED.seen_version
            """
        ]
    }

    /// Notes at deliveries with reports when they ended, as far as that is known, by which they are republished.
    static func noteEnds(of deliveries: [DeliveryID]) -> SQL {
        """
        UPDATE reported_deliveries SET ended_at = deliveries.ended_at FROM deliveries
        WHERE reported_deliveries.delivery_id = ANY(\(deliveries.map(\.rawValue).sorted())::text[])
            AND deliveries.delivery_id = reported_deliveries.delivery_id
            AND reported_deliveries.ended_at IS DISTINCT FROM deliveries.ended_at
        """
    }

    /// The indexes of the revisions that are newer than this service's: unknown deliveries, ends and reopenings that it
    /// has not learnt, and versions without events where an endpoint subscribes.
    static func lacking(_ revisions: [PublishedRevision], on database: some PostgresExecutor) async throws -> [Int] {
        try await database.places(
            in: revisions,
            lacking: """
                LEFT JOIN deliveries ON deliveries.delivery_id = published.id
                WHERE deliveries.delivery_id IS NULL
                    OR (published.is_ended AND coalesce(deliveries.ended_at, deliveries.erased_at) IS NULL)
                    OR (NOT published.is_ended AND deliveries.ended_at IS NOT NULL AND deliveries.erased_at IS NULL
                        AND deliveries.seen_version < published.version)
                    OR (coalesce(deliveries.version, 0) < published.version AND EXISTS (SELECT FROM endpoints
                        WHERE removed_at IS NULL
                            AND (endpoints.store_id IS NULL OR endpoints.store_id = deliveries.store_id)))
                """)
    }

    /// A delivery's store; nil for an unknown delivery.
    static func store(of id: DeliveryID, on database: some PostgresExecutor) async throws -> StoreID? {
        try await database.query("SELECT store_id FROM deliveries WHERE delivery_id = \(id.rawValue)").first
            .flatMap { StoreID(rawValue: try $0.decode("store_id")) }
    }

    static func delete(seenBefore: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        let reported = try await pool.execute(
            inBatchesOf: rowsMax,
            """
            DELETE FROM reported_deliveries WHERE ctid = ANY(ARRAY(SELECT reported_deliveries.ctid
                FROM reported_deliveries JOIN deliveries USING (delivery_id)
                WHERE seen_at < \(seenBefore) AND coalesce(deliveries.ended_at, erased_at) IS NOT NULL
                LIMIT \(rowsMax)))
            """)
        return reported
            + (try await pool.delete(
                from: "deliveries", where: "seen_at < \(seenBefore) AND coalesce(ended_at, erased_at) IS NOT NULL",
                inBatchesOf: rowsMax))
    }
}

extension DeliveryStatus {
    /// The status of two codes; nil for an invalid pair.
    fileprivate init?(_ code: StatusCode, courier: CourierStatus?) {
        switch code.region {
        case .store(let store): self = .preparing(store, courier ?? .unassigned)
        case .tail(let tail): self = .handedOver(tail)
        case .courier: return nil
        }
    }
}
