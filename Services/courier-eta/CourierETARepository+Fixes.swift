import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import PostgresClient

/// The SQL of fixes, many couriers at a time.
extension CourierETARepository {
    /// Fixes of a courier that a track is made from at most: twice what a track holds of a phone that measures every
    /// second.
    private static let trackFixesMax = 480

    /// The recent way of the phone that the courier carries; empty for one who was never heard.
    static func track(of courier: CourierID, on database: some PostgresExecutor) async throws -> CourierTrack {
        try await tracks(of: [courier], on: database)[courier]?.followed ?? CourierTrack()
    }

    /// The recent ways of the couriers' phones, from the record; none for one who was never heard.
    static func tracks(
        of couriers: [CourierID], on database: some PostgresExecutor
    ) async throws -> [CourierID: CourierTracks] {
        guard !couriers.isEmpty else { return [:] }
        let rows = try await database.query(
            """
            SELECT courier_id, phone_id, fixed_at, latitude, longitude, accuracy, speed, heading, received_at
            FROM couriers CROSS JOIN LATERAL (
                SELECT phone_id, fixed_at, latitude, longitude, accuracy, speed, heading, received_at FROM fixes
                WHERE fixes.courier_id = couriers.courier_id AND fixed_at > couriers.latest_at - interval '24 hours'
                ORDER BY fixed_at DESC LIMIT \(trackFixesMax)
            ) AS newest
            WHERE courier_id = ANY(\(couriers.map(\.rawValue)))
            """)
        var tracks: [CourierID: CourierTracks] = [:]
        for row in rows.reversed() {
            let fix = Fix(
                time: try row.decode("fixed_at"),
                place: Place(latitude: try row.decode("latitude"), longitude: try row.decode("longitude")),
                accuracy: try row.decode("accuracy"), speed: try row.decode("speed"),
                heading: try row.decode("heading"))
            // One that is too fast is kept aside, as it was when it came.
            try? tracks[row.decode("courier_id"), default: CourierTracks()].insert(
                fix, from: row.decode("phone_id"), receivedAt: row.decode("received_at"))
        }
        return tracks
    }

    /// Locks the couriers that were heard before, in the order of their ids.
    static func lockingCouriers(_ couriers: [CourierID]) -> SQL {
        """
        SELECT courier_id, revision FROM couriers WHERE courier_id = ANY(\(couriers.map(\.rawValue)))
        ORDER BY courier_id FOR UPDATE
        """
    }

    static func revisions(_ rows: [PostgresRow]) throws -> [CourierID: Int] {
        try rows.reduce(into: [:]) { $0[try $1.decode("courier_id")] = try $1.decode("revision") as Int }
    }

    /// Locks what the couriers are under way with, in the order of ids; reads those that are not known as they are.
    static func lockingLive(of couriers: [CourierID], known: [(id: DeliveryID, revision: Int)]) -> SQL {
        """
        SELECT deliveries.delivery_id, courier_id, deliveries.revision, step,
            CASE WHEN known.revision = deliveries.revision THEN NULL ELSE snapshot END AS snapshot,
            CASE WHEN known.revision = deliveries.revision THEN NULL ELSE watch END AS watch
        FROM deliveries LEFT JOIN unnest(\(known.map(\.id.rawValue))::text[], \(known.map(\.revision))::bigint[])
            AS known (delivery_id, revision) ON known.delivery_id = deliveries.delivery_id
        WHERE courier_id = ANY(\(couriers.map(\.rawValue))) AND ended_at IS NULL
        ORDER BY deliveries.delivery_id FOR UPDATE OF deliveries
        """
    }

    /// A row of ``lockingLive(of:known:)``.
    ///
    /// - Parameter remembered: the delivery as it was known.
    static func live(
        _ row: PostgresRow, remembered: (CourierID, DeliveryID) -> WatchedDelivery?
    ) throws -> (courier: CourierID, delivery: (revision: Int, watched: WatchedDelivery)) {
        let courier: CourierID = try row.decode("courier_id")
        let id: DeliveryID = try row.decode("delivery_id")
        let revision: Int = try row.decode("revision")
        if try row.decode("snapshot", as: String?.self) == nil, let known = remembered(courier, id) {
            return (courier, (revision, known))
        }
        return (courier, (revision, try watched(row)))
    }

    /// Notes when each courier was last heard; answers with their revisions.
    static func noting(_ couriers: [(id: CourierID, latestAt: Date?)]) -> SQL {
        """
        INSERT INTO couriers (courier_id, latest_at, revision)
        SELECT courier_id, to_timestamp(nullif(latest, 'NaN')), 1
        FROM unnest(\(couriers.map(\.id.rawValue))::text[],
            \(couriers.map { $0.latestAt?.timeIntervalSince1970 ?? .nan })) AS heard (courier_id, latest)
        ON CONFLICT (courier_id) DO UPDATE SET latest_at = excluded.latest_at, revision = couriers.revision + 1
        RETURNING courier_id, revision
        """
    }

    /// Keeps fixes for the record; answers with a row for each that was new.
    static func keeping(_ fixes: [(heard: TakeFixes.Heard, fix: Fix)], receivedAt now: Date) -> SQL {
        """
        INSERT INTO fixes (courier_id, phone_id, fixed_at, latitude, longitude, accuracy, speed, heading, received_at)
        SELECT courier_id, phone_id, to_timestamp(time), latitude, longitude, nullif(accuracy, 'NaN'),
            nullif(speed, 'NaN'), nullif(heading, 'NaN'), \(now)
        FROM unnest(\(fixes.map(\.heard.courier.rawValue))::text[], \(fixes.map(\.heard.phone.rawValue))::text[],
            \(fixes.map(\.fix.time.timeIntervalSince1970)), \(fixes.map(\.fix.place.latitude)),
            \(fixes.map(\.fix.place.longitude)), \(fixes.map { $0.fix.accuracy ?? .nan }),
            \(fixes.map { $0.fix.speed ?? .nan }), \(fixes.map { $0.fix.heading ?? .nan }))
            AS heard (courier_id, phone_id, time, latitude, longitude, accuracy, speed, heading)
        ON CONFLICT DO NOTHING RETURNING courier_id, phone_id
        """
    }

    /// Replaces what is known beside the snapshots.
    static func updatingWatches(_ deliveries: [WatchedDelivery]) throws -> SQL {
        let encoder = JSONEncoder()
        let watches = try deliveries.map { String(decoding: try encoder.encode($0.watch), as: UTF8.self) }
        return """
            UPDATE deliveries SET watch = seen.watch::jsonb, step = seen.step, revision = deliveries.revision + 1
            FROM unnest(\(deliveries.map(\.delivery.id.rawValue))::text[], \(watches)::text[],
                \(deliveries.map(\.step))::bigint[]) AS seen (delivery_id, watch, step)
            WHERE deliveries.delivery_id = seen.delivery_id
            """
    }
}
