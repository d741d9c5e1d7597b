import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of what ended deliveries teach.
enum HistoryRepository {
    /// Fixes of a delivery that are read at most, the newest: five and a half hours of one phone at a second's interval.
    private static let fixesMax = 20_000

    struct Ended {
        let id: DeliveryID
        /// Nil where the row cannot be read.
        let watched: WatchedDelivery?
        let courierSince: Date?
    }

    /// Deliveries that ended before `date` and were not reduced, locked; those that another process has are left to it.
    static func toReduce(
        endedBefore date: Date, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> [Ended] {
        let rows = try await transaction.query(
            """
            SELECT delivery_id, courier_since, snapshot, watch, step FROM deliveries
            WHERE ended_at < \(date) AND NOT is_reduced ORDER BY ended_at LIMIT \(rowsMax) FOR UPDATE SKIP LOCKED
            """)
        return try rows.map { row in
            Ended(
                id: try row.decode("delivery_id"), watched: try? CourierETARepository.watched(row),
                courierSince: try row.decode("courier_since"))
        }
    }

    /// What the courier's phone said in that time, in order; of several phones the one that said most.
    static func fixes(
        of courier: CourierID, from: Date, to: Date, on database: some PostgresExecutor
    ) async throws -> [Fix] {
        let rows = try await database.query(
            """
            SELECT phone_id, fixed_at, latitude, longitude, accuracy, speed, heading FROM fixes
            WHERE courier_id = \(courier) AND fixed_at BETWEEN \(from) AND \(to)
            ORDER BY fixed_at DESC LIMIT \(fixesMax)
            """)
        var byPhone: [PhoneID: [Fix]] = [:]
        for row in rows.reversed() {
            byPhone[try row.decode("phone_id"), default: []].append(
                Fix(
                    time: try row.decode("fixed_at"),
                    place: Place(latitude: try row.decode("latitude"), longitude: try row.decode("longitude")),
                    accuracy: try row.decode("accuracy"), speed: try row.decode("speed"),
                    heading: try row.decode("heading")))
        }
        return byPhone.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value ?? []
    }

    static func keep(_ ride: FinishedRide, finishedAt: Date, in transaction: PostgresTransaction) async throws {
        if let way = ride.way {
            try await transaction.execute(
                """
                INSERT INTO finished_ways (finished_on, format, way)
                VALUES ((\(finishedAt)::timestamptz AT TIME ZONE 'UTC')::date, \(FinishedWay.format),
                    \(PostgresJSON(way)))
                """)
        }
        for stay in ride.stays {
            try await transaction.execute(
                """
                INSERT INTO finished_stays (finished_on, kind, store_id, seconds)
                VALUES ((\(finishedAt)::timestamptz AT TIME ZONE 'UTC')::date, \(stay.kind.rawValue), \(stay.store),
                    \(stay.seconds))
                """)
        }
    }

    static func markReduced(_ deliveries: [DeliveryID], in transaction: PostgresTransaction) async throws {
        try await transaction.execute(
            "UPDATE deliveries SET is_reduced = true WHERE delivery_id = ANY(\(deliveries.map(\.rawValue)))")
    }

    /// Deletes ways and stays of days before `date`, and says how many.
    static func delete(finishedBefore date: Date, on database: some PostgresExecutor) async throws -> Int {
        let ways = try await database.execute(
            "DELETE FROM finished_ways WHERE finished_on < (\(date)::timestamptz AT TIME ZONE 'UTC')::date")
        let stays = try await database.execute(
            "DELETE FROM finished_stays WHERE finished_on < (\(date)::timestamptz AT TIME ZONE 'UTC')::date")
        return ways + stays
    }
}
