import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// Puts a pseudonym in the place of a courier in this service's rows.
enum ErasedCourierRows {
    /// The kind of the timeline's entry about it, which is of no person.
    static let timelineKind = "erased"

    /// Replaces the courier in deliveries, with everything else about them.
    ///
    /// - Parameters:
    ///   - deliveries: those that had the courier, without them and one version later.
    ///   - ids: all deliveries of the part.
    static func erase(
        _ erased: ErasedCourier, in deliveries: [Delivery], of ids: [String], at now: Date, from rows: inout ErasedRows
    ) async throws {
        if !deliveries.isEmpty {
            try await rows.erase("deliveries", try replace(deliveries))
            try await rows.transaction.execute(OrderRepository.insert(entries(about: deliveries, at: now)))
        }
        try await eraseTimeline(erased, of: ids, from: &rows)
        try await eraseAnswers(erased, of: ids, from: &rows)
        try await rows.erase(
            "courier_presses",
            """
            DELETE FROM courier_presses WHERE courier_id = \(erased.id.rawValue) AND delivery_id = ANY(\(ids)::text[])
            """)
    }

    /// Deletes what is of the courier and of no delivery.
    ///
    /// - Parameter isKept: whether a new courier has the id, whose trips go on.
    static func eraseOthers(
        _ erased: ErasedCourier, before: Date, isKept: Bool, from rows: inout ErasedRows
    ) async throws {
        let presses = try await rows.transaction.query(
            """
            SELECT press_id FROM courier_presses WHERE courier_id = \(erased.id.rawValue) AND pressed_at <= \(before)
            """
        ).map { try $0.decode("press_id", as: UUID.self) }
        try await rows.erase("courier_presses", "DELETE FROM courier_presses WHERE press_id = ANY(\(presses))")
        try await rows.erase(
            "timers",
            """
            DELETE FROM timers WHERE kind = \(DeliveryTimers.courierPress)
                    AND key = ANY(\(presses.map(\.uuidString))::text[])
                OR kind = \(DeliveryTimers.tripAdvance) AND split_part(key, ' ', 1) = \(erased.id.rawValue)
                    AND NOT \(isKept)
            """)
        try await rows.eraseDeadLetters(key: erased.id.rawValue, mentioning: erased.mentions)
    }

    private static func replace(_ deliveries: [Delivery]) throws -> SQL {
        """
        UPDATE deliveries SET courier_id = new.courier_id, version = new.version, snapshot = new.snapshot
        FROM unnest(\(deliveries.map(\.id.rawValue))::text[],
            \(PostgresNullableArray(deliveries.map(\.courier?.id.rawValue)))::text[], \(deliveries.map(\.version)),
            \(PostgresJSONArray(encoded: try deliveries.map { try WireJSON.encode($0) })))
            AS new (delivery_id, courier_id, version, snapshot)
        WHERE deliveries.delivery_id = new.delivery_id
        """
    }

    /// The entries of the new versions, so that the versions before them can still be made of the entries.
    private static func entries(
        about deliveries: [Delivery], at now: Date
    ) -> [(delivery: DeliveryID, entry: TimelineEntry)] {
        deliveries.map { delivery in
            var entry = TimelineEntry(
                at: now, version: delivery.version, kind: timelineKind, summary: "a courier was erased", by: "erasure",
                reason: nil)
            entry.reversal = DeliveryReversal(from: delivery, to: delivery)
            return (delivery.id, entry)
        }
    }

    /// Replaces the courier in the actors, the texts and the former versions of timelines.
    private static func eraseTimeline(
        _ erased: ErasedCourier, of ids: [String], from rows: inout ErasedRows
    ) async throws {
        let found = try await rows.transaction.query(
            """
            SELECT timeline_id, what, changed_by, reason, reversal FROM timeline
            WHERE delivery_id = ANY(\(ids)::text[]) ORDER BY timeline_id FOR NO KEY UPDATE
            """)
        var changed: [(id: Int, what: String, by: String, reason: String?, reversal: String?)] = []
        for row in found {
            let former = (
                what: try row.decode("what", as: String.self), by: try row.decode("changed_by", as: String.self),
                reason: try row.decode("reason", as: String?.self),
                reversal: try row.decode("reversal", as: String?.self)
            )
            var reversal = former.reversal
            if reversal.map(erased.mayBe(inJSON:)) == true {
                let patch = try row.decodeJSON("reversal", as: DeliveryReversal.self)
                reversal = try OrderRepository.json(patch.without(erased))
            }
            let next = (
                what: erased.redacted(former.what), by: erased.replacing(author: former.by) ?? former.by,
                reason: former.reason.map(erased.redacted), reversal: reversal
            )
            guard next != former else { continue }
            changed.append((try row.decode("timeline_id"), next.what, next.by, next.reason, next.reversal))
        }
        guard !changed.isEmpty else { return }
        try await rows.erase(
            "timeline",
            """
            UPDATE timeline SET what = new.what, changed_by = new.changed_by, reason = new.reason,
                reversal = new.reversal
            FROM unnest(\(changed.map(\.id)), \(changed.map(\.what))::text[], \(changed.map(\.by))::text[],
                \(PostgresNullableArray(changed.map(\.reason)))::text[],
                \(PostgresNullableArray(changed.map(\.reversal)))::text[]::jsonb[])
                AS new (timeline_id, what, changed_by, reason, reversal)
            WHERE timeline.timeline_id = new.timeline_id
            """)
    }

    /// Replaces the courier's names and numbers in the answers to pressed links, which a repeat gets as they were.
    private static func eraseAnswers(
        _ erased: ErasedCourier, of ids: [String], from rows: inout ErasedRows
    ) async throws {
        let found = try await rows.transaction.query(
            "SELECT link_hash, body FROM link_presses WHERE delivery_id = ANY(\(ids)::text[])")
        let changed = try found.compactMap { row -> (hash: [UInt8], body: [UInt8])? in
            let body = String(decoding: try row.decode("body", as: [UInt8].self), as: UTF8.self)
            guard let next = erased.replaced(inContent: body) else { return nil }
            return (try row.decode("link_hash"), Array(next.utf8))
        }
        guard !changed.isEmpty else { return }
        try await rows.erase(
            "link_presses",
            """
            UPDATE link_presses SET body = new.body
            FROM unnest(\(PostgresBytesArray(changed.map(\.hash))), \(PostgresBytesArray(changed.map(\.body))))
                AS new (link_hash, body)
            WHERE link_presses.link_hash = new.link_hash
            """)
    }
}
