import DoorstepAPI
import OrderDomain
import PostgresClient

/// Finds devices by the beginning of their id.
struct FindDevices: Sendable {
    static let devicesMax = 20

    let pool: PostgresPool

    /// - Parameter store: the only store of the devices; nil for all.
    func callAsFunction(beginningWith beginning: DeviceID, of store: StoreID?) async throws -> [DevicesBody.Found] {
        try await ActivityRepository.devices(
            beginningWith: beginning, of: store, devicesMax: Self.devicesMax, on: pool)
    }
}
