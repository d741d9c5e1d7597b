import ArrivalEstimate
import Foundation
import PostgresClient

/// What `courier-eta` keeps of ways and stays that are over.
struct TrainingHistory: Sendable {
    private(set) var ways: [FinishedWay] = []
    private(set) var stays: [StopStay] = []
    /// Ways that this program cannot read.
    private(set) var passedOver = 0
    /// What the newest model that was installed knows of orders; the history has none of them.
    private(set) var orders: OrderModel?

    /// Rows that are fetched at once.
    private static let pageMax = 1_000

    /// Reads what ended in the `days` before `now`.
    ///
    /// - Parameter schema: `courier-eta`'s.
    /// - Throws: an error of the database's.
    init(of days: Int, before now: Date, schema: String = "courier_eta", on pool: PostgresPool) async throws {
        let since = now.addingTimeInterval(-Double(days) * 86_400)
        var after: Int64 = 0
        while true {
            let rows = try await pool.query(
                """
                SELECT finished_way_id, way FROM \(sql: Self.table("finished_ways", in: schema))
                WHERE finished_way_id > \(after) AND format = \(FinishedWay.format)
                    AND finished_on >= (\(since)::timestamptz AT TIME ZONE 'UTC')::date
                ORDER BY finished_way_id LIMIT \(Self.pageMax)
                """)
            for row in rows {
                after = try row.decode("finished_way_id")
                if let way: FinishedWay = try? row.decodeJSON("way"), way.ride != nil {
                    ways.append(way)
                } else {
                    passedOver += 1
                }
            }
            if rows.count < Self.pageMax { break }
        }
        orders = try await InstalledModels(schema: schema, pool: pool).newest()?.orders
        let rows = try await pool.query(
            """
            SELECT kind, store_id, seconds FROM \(sql: Self.table("finished_stays", in: schema))
            WHERE finished_on >= (\(since)::timestamptz AT TIME ZONE 'UTC')::date ORDER BY finished_stay_id
            """)
        for row in rows {
            guard let kind = StopStay.Kind(rawValue: try row.decode("kind")) else { continue }
            stays.append(
                StopStay(kind, store: try row.decode("store_id"), seconds: try row.decode("seconds")))
        }
    }

    var couriers: Int { Set(ways.map(\.courier)).count }

    /// A model of all of it; what was known of orders stays.
    ///
    /// - Throws: `TooFewRides`.
    func fit() throws -> ArrivalModel {
        try ArrivalModel.fit(
            ways.compactMap(\.ride), ways: try WayModel.fit(ways.compactMap(\.wayAhead)), orders: orders,
            stays: stays)
    }

    private static func table(_ name: String, in schema: String) -> SQL { "\(raw: schema).\(raw: name)" }
}
