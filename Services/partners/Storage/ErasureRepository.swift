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
        let events: SQL = """
            endpoint_id IN (SELECT endpoint_id FROM endpoints)
                AND event_id IN (SELECT event_id FROM events WHERE delivery_id = ANY(\(own)::text[]))
            """
        try await rows.erase("attempts", "DELETE FROM attempts WHERE \(sql: events)")
        try await rows.erase("event_deliveries", "DELETE FROM event_deliveries WHERE \(sql: events)")
        try await rows.erase("events", "DELETE FROM events WHERE delivery_id = ANY(\(own)::text[])")
        try await rows.erase("receipts", receipts(of: own))
        try await rows.erase("receipts", unresolvedReceipts(naming: own, orMentioning: ids))
        try await rows.erase(
            "reported_deliveries", "DELETE FROM reported_deliveries WHERE delivery_id = ANY(\(own)::text[])")
        try await rows.erase("deliveries", replaceErased(deliveries, at: now))
    }

    private static func receipts(of deliveries: [String]) -> SQL {
        """
        DELETE FROM receipts WHERE delivery_id = ANY(\(deliveries)::text[]) OR body_of IN (
            SELECT receipt_id FROM receipts WHERE delivery_id = ANY(\(deliveries)::text[]))
        """
    }

    /// Receipts that were applied to no delivery, and that name or mention one of these.
    private static func unresolvedReceipts(naming deliveries: [String], orMentioning ids: [String]) -> SQL {
        """
        DELETE FROM receipts WHERE delivery_id IS NULL AND (
            delivery_names && (\(deliveries)::text[] || ARRAY(
                SELECT reference FROM provider_references WHERE delivery_id = ANY(\(deliveries)::text[])))
            OR EXISTS (SELECT FROM unnest(\(ids)::text[]) AS known (id)
                WHERE position(convert_to(known.id, 'UTF8') IN body) > 0))
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
