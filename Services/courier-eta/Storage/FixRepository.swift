import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of recorded fixes and their daily partitions.
enum FixRepository {
    /// Fixes of a delivery that are read at most, the newest: five and a half hours of one phone at a second's interval.
    private static let deliveryFixesMax = 20_000

    /// A fix's columns; its place is on earth, as the table checks.
    static func fix(_ row: PostgresRow) throws -> Fix {
        Fix(
            time: try row.decode("fixed_at"),
            place: Coordinate(clampingLatitude: try row.decode("latitude"), longitude: try row.decode("longitude")),
            accuracy: try row.decode("accuracy"), speed: try row.decode("speed"), heading: try row.decode("heading"))
    }

    /// The courier's fixes of that time, in order; of several phones, those of the one with most.
    static func fixes(
        of courier: CourierID, from: Date, to: Date, on database: some PostgresExecutor
    ) async throws -> [Fix] {
        let rows = try await database.query(
            """
            SELECT phone_id, fixed_at, latitude, longitude, accuracy, speed, heading FROM fixes
            WHERE courier_id = \(courier) AND fixed_at BETWEEN \(from) AND \(to)
            ORDER BY fixed_at DESC LIMIT \(deliveryFixesMax)
            """)
        var byPhone: [PhoneID: [Fix]] = [:]
        for row in rows.reversed() { byPhone[try row.decode("phone_id"), default: []].append(try fix(row)) }
        return byPhone.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value ?? []
    }

    /// Inserts fixes; returns a row for each that was new.
    static func inserting(_ fixes: [(batch: FixBatch, fix: Fix)], receivedAt now: Date) -> SQL {
        """
        INSERT INTO fixes (courier_id, phone_id, fixed_at, latitude, longitude, accuracy, speed, heading, received_at)
        SELECT courier_id, phone_id, to_timestamp(time), latitude, longitude, nullif(accuracy, 'NaN'),
            nullif(speed, 'NaN'), nullif(heading, 'NaN'), \(now)
        FROM unnest(\(fixes.map(\.batch.courier.rawValue))::text[], \(fixes.map(\.batch.phone.rawValue))::text[],
            \(fixes.map(\.fix.time.timeIntervalSince1970)), \(fixes.map(\.fix.place.latitude)),
            \(fixes.map(\.fix.place.longitude)), \(fixes.map { $0.fix.accuracy ?? .nan }),
            \(fixes.map { $0.fix.speed ?? .nan }), \(fixes.map { $0.fix.heading ?? .nan }))
            AS received (courier_id, phone_id, time, latitude, longitude, accuracy, speed, heading)
        ON CONFLICT DO NOTHING RETURNING courier_id, phone_id
        """
    }

    // MARK: Partitions

    static func createPartition(of date: Date, on database: some PostgresExecutor) async throws {
        try await database.query("SELECT create_fixes_partition((\(date)::timestamptz AT TIME ZONE 'UTC')::date)")
    }

    /// Drops the partitions of days that ended before `date`.
    ///
    /// - Returns: how many.
    /// - Throws: a lock time-out (`PostgresError.isLockTimeout`) while a transaction that lasts reads or writes fixes.
    static func dropPartitions(before date: Date, on database: some PostgresExecutor) async throws -> Int {
        let rows = try await database.query(
            "SELECT drop_fixes_partitions((\(date)::timestamptz AT TIME ZONE 'UTC')::date) AS dropped")
        return try rows[0].decode("dropped")
    }
}
