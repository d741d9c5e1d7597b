import DoorstepAPI
import OrderDomain
import PostgresClient

extension ActivityRepository {
    /// Devices whose id has a given prefix, in any case, by their id.
    ///
    /// - Parameter store: the only store of the devices; nil is all.
    static func devices(
        beginningWith beginning: DeviceID, of store: StoreID?, devicesMax: Int, on executor: some PostgresExecutor
    ) async throws -> [DevicesBody.Found] {
        let first = beginning.rawValue.lowercased()
        // Above every character that an id may have.
        let last = first + "~"
        let scope: SQL = store.map { "AND store_id = \($0.rawValue)" } ?? ""
        return try await executor.query(
            """
            SELECT device_id, customer_id, seen_at FROM devices LEFT JOIN device_connections USING (device_id)
            WHERE lower(device_id) COLLATE "C" BETWEEN \(first) AND \(last) \(sql: scope)
            ORDER BY lower(device_id) COLLATE "C" LIMIT \(devicesMax)
            """
        ).map { row in
            DevicesBody.Found(
                id: try row.decode("device_id"), customer: try row.decode("customer_id"),
                lastConnectedAt: try row.decode("seen_at"))
        }
    }
}
