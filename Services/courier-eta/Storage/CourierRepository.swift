import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of couriers and of their tracks, many couriers at a time.
enum CourierRepository {
    /// The newest fixes of a courier that tracks are built from.
    private static let trackFixesMax = 480

    /// Whether a fix or a live delivery of the courier is known.
    static func isKnown(_ courier: CourierID, on database: some PostgresExecutor) async throws -> Bool {
        let row = try await database.query(
            """
            SELECT EXISTS (SELECT FROM couriers WHERE courier_id = \(courier))
                OR EXISTS (SELECT FROM deliveries WHERE courier_id = \(courier) AND ended_at IS NULL) AS known
            """)
        return try row[0].decode("known")
    }

    /// The track of the phone that the courier carries; empty without a fix.
    static func track(of courier: CourierID, on database: some PostgresExecutor) async throws -> CourierTrack {
        try await tracks(of: [courier], on: database)[courier]?.followed ?? CourierTrack()
    }

    /// The tracks of the couriers' phones, from the recorded fixes; none for a courier without any.
    static func tracks(
        of couriers: [CourierID], on database: some PostgresExecutor
    ) async throws -> [CourierID: CourierTracks] {
        guard !couriers.isEmpty else { return [:] }
        var tracks: [CourierID: CourierTracks] = [:]
        for row in try await database.query(trackFixes(of: couriers)) {
            let fix = try FixRepository.fix(row)
            let courier: CourierID = try row.decode("courier_id")
            let phone: PhoneID = try row.decode("phone_id")
            let receivedAt: Date = try row.decode("received_at")
            // The track keeps a fix that is too fast aside, and ignores a duplicate, as it did at ingest.
            try? tracks[courier, default: CourierTracks()].insert(fix, from: phone, receivedAt: receivedAt)
        }
        return tracks
    }

    /// The fixes that tracks keep of these couriers, oldest first: the latest of each slot of 5 s, and of each slot of
    /// 30 s beyond the newest two and a half minutes of a phone.
    ///
    /// The database leaves out the others, nine in ten of a phone that measures every second.
    static func trackFixes(of couriers: [CourierID]) -> SQL {
        """
        SELECT * FROM (
            SELECT DISTINCT ON (courier_id, phone_id, slot)
                courier_id, phone_id, fixed_at, latitude, longitude, accuracy, speed, heading, received_at
            FROM (
                SELECT couriers.courier_id, newest.*, floor(extract(epoch FROM fixed_at) / CASE
                    WHEN max(fixed_at) OVER (PARTITION BY couriers.courier_id, phone_id) - fixed_at < interval '150 s'
                    THEN 5 ELSE 30 END) AS slot
                FROM couriers CROSS JOIN LATERAL (
                    SELECT phone_id, fixed_at, latitude, longitude, accuracy, speed, heading, received_at FROM fixes
                    WHERE fixes.courier_id = couriers.courier_id
                        AND fixed_at > couriers.latest_at - interval '24 hours'
                    ORDER BY fixed_at DESC LIMIT \(trackFixesMax)
                ) AS newest
                WHERE couriers.courier_id = ANY(\(couriers.map(\.rawValue)))
            ) AS slots
            ORDER BY courier_id, phone_id, slot, fixed_at DESC
        ) AS kept ORDER BY fixed_at
        """
    }

    /// Couriers with a fix at `since` or later and the revisions of their rows, in the order of their ids.
    static func revisions(
        since: Date, after: CourierID?, limit: Int, on database: some PostgresExecutor
    ) async throws -> [(courier: CourierID, revision: Int)] {
        try await database.query(
            """
            SELECT courier_id, revision FROM couriers
            WHERE latest_at >= \(since) AND courier_id > \(after?.rawValue ?? "") ORDER BY courier_id LIMIT \(limit)
            """
        ).map { (try $0.decode("courier_id"), try $0.decode("revision")) }
    }

    /// Locks the couriers that are known, in the order of their ids.
    static func lockingCouriers(_ couriers: [CourierID]) -> SQL {
        """
        SELECT courier_id, revision FROM couriers WHERE courier_id = ANY(\(couriers.map(\.rawValue)))
        ORDER BY courier_id FOR NO KEY UPDATE
        """
    }

    static func revisions(_ rows: [PostgresRow]) throws -> [CourierID: Int] {
        try rows.reduce(into: [:]) { $0[try $1.decode("courier_id")] = try $1.decode("revision") as Int }
    }

    /// Deletes couriers without a later fix and without a live delivery; returns how many.
    static func delete(seenBefore date: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        try await pool.execute(
            inBatchesOf: rowsMax,
            """
            DELETE FROM couriers WHERE courier_id IN (
                SELECT courier_id FROM couriers WHERE latest_at < \(date) AND NOT EXISTS (
                    SELECT FROM deliveries
                    WHERE deliveries.courier_id = couriers.courier_id AND deliveries.ended_at IS NULL)
                LIMIT \(rowsMax))
            """)
    }

    /// A courier's row as it is written.
    struct Row: Sendable {
        let id: CourierID
        let latest: Fix?
        /// The time of the write: a phone whose clock is ahead was seen then, and not later.
        let seenBy: Date
        let revision: Int

        fileprivate var latestAt: Double { latest?.time.timeIntervalSince1970 ?? .nan }
        fileprivate var seenAt: Double { min(latestAt, seenBy.timeIntervalSince1970) }
    }

    /// Upserts each courier's newest fix, with the revision that the row then has; returns which are new.
    static func upserting(_ couriers: [Row]) -> SQL {
        """
        INSERT INTO couriers (courier_id, latest_at, seen_at, seen_latitude, seen_longitude, revision)
        SELECT courier_id, to_timestamp(nullif(latest, 'NaN')), to_timestamp(nullif(seen, 'NaN')),
            nullif(latitude, 'NaN'), nullif(longitude, 'NaN'), revision
        FROM unnest(\(couriers.map(\.id.rawValue))::text[],
            \(couriers.map(\.latestAt)), \(couriers.map(\.seenAt)),
            \(couriers.map { $0.latest?.place.latitude ?? .nan }),
            \(couriers.map { $0.latest?.place.longitude ?? .nan }), \(couriers.map(\.revision)))
            AS new (courier_id, latest, seen, latitude, longitude, revision)
        ON CONFLICT (courier_id) DO UPDATE SET latest_at = excluded.latest_at, seen_at = excluded.seen_at,
            seen_latitude = excluded.seen_latitude, seen_longitude = excluded.seen_longitude,
            revision = excluded.revision
        RETURNING courier_id, xmax = 0 AS is_new
        """
    }
}
