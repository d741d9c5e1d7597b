import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// The SQL that erases a customer's deliveries.
enum ErasureRepository {
    /// Deletes what was sent and received about the deliveries, and leaves them as late messages and reports meet them.
    ///
    /// A provider's own name of a delivery stays as long as any, so that its late reports are known to be of it.
    static func erase(_ deliveries: [Delivery], mentionedBy ids: [String], at now: Date, from rows: inout ErasedRows)
        async throws
    {
        let deliveries = deliveries.sorted { $0.id < $1.id }
        let own = deliveries.map(\.id.rawValue)
        // The lock of messages about them.
        _ = try await rows.transaction.query(
            "SELECT pg_advisory_xact_lock(hashtextextended(id, 1)) FROM unnest(\(own)::text[]) AS id")
        let events: SQL = "SELECT event_id FROM events WHERE delivery_id = ANY(\(own)::text[])"
        // First: an attempt that is being settled holds its row until it is logged.
        for queue in queues(of: events) {
            try await rows.erase("event_deliveries", "DELETE FROM event_deliveries WHERE \(sql: queue)")
        }
        try await rows.erase("attempts", "DELETE FROM attempts WHERE \(sql: isOfAny(events))")
        try await rows.erase("events", "DELETE FROM events WHERE delivery_id = ANY(\(own)::text[])")
        try await eraseReceipts(of: own, from: &rows)
        try await rows.erase("receipts", bodies(mentioning: ids))
        try await rows.erase("deliveries", replaceErased(deliveries, at: now))
    }

    /// Whether a row of `attempts` or `event_deliveries` is of one of the events.
    ///
    /// - Parameter events: a query for their ids.
    static func isOfAny(_ events: SQL) -> SQL {
        "endpoint_id IN (SELECT endpoint_id FROM endpoints) AND event_id IN (\(sql: events))"
    }

    /// The events' rows of `event_deliveries`: of first sends and of replays, which have an index each.
    static func queues(of events: SQL) -> [SQL] {
        ["\(sql: isOfAny(events)) AND NOT is_replay", "\(sql: isOfAny(events)) AND is_replay"]
    }

    /// Deletes what was reported about deliveries that were erased while the reports were being stored.
    static func eraseLate(erasedAfter: Date, in transaction: PostgresTransaction) async throws -> Int {
        let erased = try await transaction.query(
            "SELECT delivery_id FROM deliveries WHERE erased_at > \(erasedAfter) ORDER BY delivery_id"
        ).map { try $0.decode("delivery_id", as: String.self) }
        guard !erased.isEmpty else { return 0 }
        var rows = ErasedRows(in: transaction)
        try await eraseReceipts(of: erased, from: &rows)
        return rows.counts.values.reduce(0, +)
    }

    /// Deletes the deliveries' own receipts, and the bodies of the webhooks that had them.
    ///
    /// A webhook may report other customers' deliveries too: their receipts stay, with their reports.
    private static func eraseReceipts(of deliveries: [String], from rows: inout ErasedRows) async throws {
        let own = try await rows.transaction.query(receipts(of: deliveries))
            .map { try $0.decode("receipt_id", as: UUID.self) }
        try await rows.erase(
            "receipts",
            """
            UPDATE receipts SET body = NULL
            WHERE receipt_id IN (SELECT body_of FROM receipts WHERE receipt_id = ANY(\(own)))
                AND receipt_id <> ALL(\(own)) AND body IS NOT NULL
            """)
        try await rows.transaction.execute("UPDATE receipts SET body_of = NULL WHERE body_of = ANY(\(own))")
        try await rows.erase("receipts", "DELETE FROM receipts WHERE receipt_id = ANY(\(own))")
        try await rows.erase(
            "reported_deliveries", "DELETE FROM reported_deliveries WHERE delivery_id = ANY(\(deliveries)::text[])")
    }

    /// Receipts that were applied to one of the deliveries, or that name one and were applied to none.
    ///
    /// A name is one source's own; one that two stores claim is of neither.
    static func receipts(of deliveries: [String]) -> SQL {
        """
        SELECT receipt_id FROM receipts WHERE delivery_id = ANY(\(deliveries)::text[])
        UNION
        SELECT receipt_id FROM receipts WHERE delivery_id IS NULL AND (delivery_names && \(deliveries)::text[]
            OR EXISTS (SELECT FROM provider_references AS known
                WHERE known.source_id = receipts.source_id AND known.reference = ANY(receipts.delivery_names)
                    AND known.delivery_id = ANY(\(deliveries)::text[]) AND NOT known.is_contested))
        """
    }

    /// Empties the webhooks that have an event of no known delivery, and that mention one of the ids.
    static func bodies(mentioning ids: [String]) -> SQL {
        """
        UPDATE receipts SET body = NULL
        WHERE body IS NOT NULL
            AND receipt_id IN (SELECT coalesce(body_of, receipt_id) FROM receipts WHERE delivery_id IS NULL)
            AND EXISTS (SELECT FROM unnest(\(ids)::text[]) AS known (id)
                WHERE position(convert_to(known.id, 'UTF8') IN body) > 0)
        """
    }

    /// Marks the deliveries as erased, known or not, with the events of all their versions sent.
    private static func replaceErased(_ deliveries: [Delivery], at now: Date) -> SQL {
        """
        INSERT INTO deliveries AS known (delivery_id, store_id, seen_version, version, status, summarised_after,
            summarised_to, ended_at, seen_at, erased_at)
        SELECT delivery_id, store_id, version, version, status, 0, version, ended_at, \(now), \(now)
        FROM unnest(\(deliveries.map(\.id.rawValue))::text[], \(deliveries.map(\.store.id.rawValue))::text[],
            \(deliveries.map(\.version))::integer[], \(deliveries.map(\.status.code.rawValue))::text[],
            \(PostgresNullableArray(deliveries.map(\.endedAt)))::timestamptz[])
            AS new (delivery_id, store_id, version, status, ended_at)
        ON CONFLICT (delivery_id) DO UPDATE SET seen_version = greatest(known.seen_version, excluded.seen_version),
            version = greatest(known.version, excluded.version), status = excluded.status, courier_status = NULL,
            summarised_after = 0, summarised_to = greatest(known.seen_version, excluded.seen_version),
            ended_at = excluded.ended_at, erased_at = excluded.erased_at
        """
    }
}
