import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// The SQL that erases a courier.
enum CourierErasureRepository {
    /// Puts the pseudonym in the place of the courier in deliveries.
    ///
    /// - Parameters:
    ///   - ended: the ended ones without the courier: late messages lose against them.
    ///   - late: those that ended later are inserted where they are not known yet.
    static func erase(
        _ request: CourierErasureRequest, _ ended: [TrackedDelivery], insertingEndedAfter late: Date,
        from rows: inout ErasedRows
    ) async throws {
        let erased = request.courier
        let known = try await DeliveryRepository.lockedDeliveries(
            request.deliveries.map(\.delivery.id), in: rows.transaction)
        let unknown = ended.filter { one in
            known[one.delivery.id] == nil && one.delivery.endedAt.map { $0 > late } ?? false
        }
        if !unknown.isEmpty { try await rows.erase("deliveries", DeliveryRepository.insertEnded(unknown)) }
        let begun = Dictionary(uniqueKeysWithValues: ended.map { ($0.delivery.id, $0) })
        for (id, tracked) in known.sorted(by: { $0.key < $1.key }) {
            let former = tracked.delivery
            // A live delivery of the courier is of a new courier with the id, or its hand-back is still to come.
            guard former.endedAt != nil || former.courier?.id != erased.id || begun[id] != nil else { continue }
            var next = tracked
            var delivery = former.replacing(erased)
            if let newest = begun[id] {
                if former.version < newest.delivery.version { delivery = newest.delivery }
                // Where the courier rode, and what was estimated of it.
                next.tracking = newest.tracking
            } else if former.fetchedFrom?.id == erased.id {
                next.tracking.fetchPlace = nil
            }
            guard delivery != former || next.tracking != tracked.tracking else { continue }
            next.change = DeliveryChanged(
                delivery: delivery, links: tracked.change.links, cause: tracked.change.cause,
                changedAt: tracked.change.changedAt, reached: tracked.change.reached, pin: tracked.change.pin)
            try await rows.erase("deliveries", DeliveryRepository.replaceCourier(next))
        }
    }

    private static func isOlder(_ column: String, _ request: CourierErasureRequest) -> SQL {
        request.keepsCourier ? "\(sql: .identifier(column)) <= \(request.requestedAt)" : "true"
    }

    /// Deletes the courier's positions in batches, each in a transaction of its own: a week has hundreds of thousands.
    ///
    /// - Returns: the number of them.
    static func eraseFixes(_ request: CourierErasureRequest, on pool: PostgresPool) async throws -> Int {
        let (id, until) = (request.courier.id, request.requestedAt)
        // By the primary key: the table has partitions, and each has rows of the same ctid.
        return try await pool.execute(
            inBatchesOf: fixesMax,
            """
            DELETE FROM fixes WHERE courier_id = \(id) AND (fixed_at, phone_id) IN (SELECT fixed_at, phone_id FROM fixes
                WHERE courier_id = \(id) AND (\(sql: isOlder("fixed_at", request)) OR phone_id IN (
                    SELECT phone_id FROM phones WHERE courier_id = \(id) AND enrolled_at <= \(until)))
                LIMIT \(fixesMax))
            """)
    }

    /// Positions that are deleted at once.
    private static let fixesMax = 5_000

    /// Deletes what is of the courier and of no delivery, but for positions.
    ///
    /// A courier who was given the id since keeps what is newer than the request, and is of another phone.
    static func eraseCourier(_ request: CourierErasureRequest, from rows: inout ErasedRows) async throws {
        let (id, until) = (request.courier.id, request.requestedAt)
        let isOlder: (String) -> SQL = { Self.isOlder($0, request) }
        try await rows.erase(
            "phones",
            """
            UPDATE phones SET courier_id = \(request.courier.pseudonym), label = NULL, app = NULL,
                enrolled_by = \(Self.erasure), revoked_by = \(Self.erasure)
            WHERE courier_id = \(id) AND enrolled_at <= \(until)
            """)
        try await rows.erase(
            "duties", "DELETE FROM duties WHERE courier_id = \(id) AND \(sql: isOlder("began_at"))")
        try await rows.erase(
            "map_exemptions", "DELETE FROM map_exemptions WHERE courier_id = \(id) AND \(sql: isOlder("since"))")
        // A newer fix writes the row of a new courier again.
        try await rows.erase("couriers", "DELETE FROM couriers WHERE courier_id = \(id)")
        try await rows.erase(
            "completed_legs",
            """
            UPDATE completed_legs SET leg = jsonb_set(leg, '{courier}',
                to_jsonb(\(CompletedDelivery.number(of: request.courier.pseudonym))::bigint))
            WHERE (leg->>'courier')::bigint = \(CompletedDelivery.number(of: id))
            """)
        // A new courier's stays: it names no delivery, and estimates those that the id has by then.
        guard !request.keepsCourier else { return }
        try await rows.erase(
            "timers", "DELETE FROM timers WHERE kind = \(EstimateTrip.kind) AND key = \(id)")
    }

    /// The name under which phones are revoked.
    static let erasure = "erasure"
}
