import Foundation
import OrderDomain
import PostgresClient

/// The SQL of couriers' places for customers' maps, and of couriers who are exempt from them.
enum CourierPlaceRepository {
    struct Row: Sendable {
        let courier: CourierID
        let place: Coordinate
        let seenAt: Date
    }

    /// Where couriers were seen last, each at `since` or later; only those who carry goods to a door and are not
    /// exempt.
    static func places(
        of couriers: [(id: CourierID, since: Int)], on database: some PostgresExecutor
    ) async throws -> [Row] {
        try await database.query(
            """
            SELECT courier_id, seen_at, seen_latitude, seen_longitude
            FROM unnest(\(couriers.map(\.id.rawValue))::text[], \(couriers.map(\.since))::bigint[])
                AS wanted (courier_id, since) JOIN couriers USING (courier_id)
            WHERE seen_at >= to_timestamp(since)
                AND NOT EXISTS (SELECT FROM map_exemptions WHERE map_exemptions.courier_id = couriers.courier_id)
                AND EXISTS (
                    SELECT FROM deliveries
                    WHERE deliveries.courier_id = couriers.courier_id AND ended_at IS NULL
                        AND snapshot->'delivery'->'status'->>'status' IN ('picked_up', 'en_route', 'arriving')
                        AND NOT snapshot->'delivery'->'flags' @> '["on_hold"]')
            """
        ).map { row in
            Row(
                courier: try row.decode("courier_id"),
                place: Coordinate(
                    clampingLatitude: try row.decode("seen_latitude"), longitude: try row.decode("seen_longitude")),
                seenAt: try row.decode("seen_at"))
        }
    }

    /// Forgets places that no map shows any more; returns how many.
    static func forget(seenBefore time: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        try await pool.execute(
            inBatchesOf: rowsMax,
            """
            UPDATE couriers SET seen_at = NULL, seen_latitude = NULL, seen_longitude = NULL
            WHERE courier_id IN (SELECT courier_id FROM couriers WHERE seen_at < \(time) LIMIT \(rowsMax))
            """)
    }

    // MARK: Exemptions

    static func isExempt(_ courier: CourierID, on database: some PostgresExecutor) async throws -> Bool {
        try await database.query(
            "SELECT EXISTS (SELECT FROM map_exemptions WHERE courier_id = \(courier)) AS exempt")[0]
            .decode("exempt")
    }

    static func exemptCouriers(on database: some PostgresExecutor) async throws -> Set<CourierID> {
        Set(try await database.query("SELECT courier_id FROM map_exemptions").map { try $0.decode("courier_id") })
    }

    static func exempt(
        _ courier: CourierID, at now: Date, by subject: String, on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO map_exemptions (courier_id, since, reported_by) VALUES (\(courier), \(now), \(subject))
            ON CONFLICT (courier_id) DO NOTHING
            """)
    }

    static func endExemption(of courier: CourierID, on database: some PostgresExecutor) async throws {
        // A place of before is not shown afterwards.
        try await database.execute(
            """
            WITH ended AS (DELETE FROM map_exemptions WHERE courier_id = \(courier) RETURNING courier_id)
            UPDATE couriers SET seen_at = NULL, seen_latitude = NULL, seen_longitude = NULL
            WHERE courier_id IN (SELECT courier_id FROM ended)
            """)
    }
}
