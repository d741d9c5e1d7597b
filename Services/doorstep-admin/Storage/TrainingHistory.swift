import ArrivalEstimate
import Foundation
import PostgresClient

/// The completed legs and dwells that `courier-eta` keeps.
struct TrainingHistory: Sendable {
    private(set) var legs: [CompletedLeg] = []
    private(set) var dwells: [Dwell] = []
    /// Legs that this program cannot read.
    private(set) var unreadable = 0
    /// The order model of the newest installed model; the history contains no orders.
    private(set) var orders: OrderModel?

    /// Rows that are fetched at once.
    private static let pageMax = 1_000

    /// Reads rides that ended in the `days` before `now`.
    ///
    /// - Throws: the database's error.
    init(of days: Int, before now: Date, on pool: PostgresPool) async throws {
        let since = now.addingTimeInterval(-Double(days) * 86_400)
        var after: Int64 = 0
        while true {
            let rows = try await pool.query(
                """
                SELECT completed_leg_id, leg FROM courier_eta.completed_legs
                WHERE completed_leg_id > \(after) AND format = \(CompletedLeg.format)
                    AND completed_on >= (\(since)::timestamptz AT TIME ZONE 'UTC')::date
                ORDER BY completed_leg_id LIMIT \(Self.pageMax)
                """)
            for row in rows {
                after = try row.decode("completed_leg_id")
                // The command reports the number of unreadable legs.
                if let leg: CompletedLeg = try? row.decodeJSON("leg"), leg.ride != nil {
                    legs.append(leg)
                } else {
                    unreadable += 1
                }
            }
            if rows.count < Self.pageMax { break }
        }
        orders = try await InstalledModels(pool: pool).newest()?.orders
        let rows = try await pool.query(
            """
            SELECT kind, store_id, seconds FROM courier_eta.completed_dwells
            WHERE completed_on >= (\(since)::timestamptz AT TIME ZONE 'UTC')::date ORDER BY completed_dwell_id
            """)
        for row in rows {
            guard let kind = Dwell.Kind(rawValue: try row.decode("kind")) else { continue }
            dwells.append(
                Dwell(kind, store: try row.decode("store_id"), seconds: try row.decode("seconds")))
        }
    }

    var couriers: Int { Set(legs.map(\.courier)).count }

    /// A model of the whole history, with the installed order model.
    ///
    /// - Throws: `TooFewRides`.
    func fit() throws -> ArrivalModel {
        try ArrivalModel.fit(
            legs.compactMap(\.ride), legs: try LegModel.fit(legs.compactMap(\.upcomingLeg)), orders: orders,
            dwells: dwells)
    }
}
