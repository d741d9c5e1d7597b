import Foundation
import OrderDomain
import PostgresClient

extension BoardRepository {
    /// The counts of live deliveries, from one scan of the live rows' index.
    static func liveDeliveries(asOf: Date, on database: some PostgresExecutor) async throws -> LiveDeliveries {
        let rows = try await database.query(
            """
            SELECT status, courier_status, flags, count(*) AS live, count(*) FILTER (WHERE severity = 0) AS late,
                count(*) FILTER (WHERE severity = 1) AS at_risk
            FROM \(sql: ranked(asOf)) WHERE ended_at IS NULL GROUP BY status, courier_status, flags
            """)
        return LiveDeliveries(try rows.map(LiveDeliveries.Group.init))
    }
}

extension LiveDeliveries.Group {
    fileprivate init(_ row: PostgresRow) throws {
        let flags: [String] = try row.decode("flags")
        self.init(
            status: try DeliveryStatus(
                code: try row.decode("status"), courierCode: try row.decode("courier_status")),
            flags: Set(flags.compactMap(Flag.init)), count: try row.decode("live"), late: try row.decode("late"),
            atRisk: try row.decode("at_risk"))
    }
}

/// A row has a status that this version does not know.
private struct UnknownStatus: Error, CustomStringConvertible {
    let description: String
}

extension DeliveryStatus {
    fileprivate init(code: String, courierCode: String?) throws {
        if let courierCode, let store = StoreStatus(rawValue: code), let courier = CourierStatus(rawValue: courierCode)
        {
            self = .preparing(store, courier)
        } else if let tail = TailStatus(rawValue: code) {
            self = .handedOver(tail)
        } else {
            throw UnknownStatus(description: "the status \(code) of a delivery is not known")
        }
    }
}
