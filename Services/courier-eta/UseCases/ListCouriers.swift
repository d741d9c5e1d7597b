import DomainTime
import DoorstepAPI
import OrderDomain
import PostgresClient

/// Lists couriers with their phones, duty and load, in the order of their ids.
struct ListCouriers: Sendable {
    static let pageMax = 500

    let pool: PostgresPool
    let clock: DomainClock

    /// - Parameters:
    ///   - store: only couriers with a delivery of this store, and only these deliveries' data; nil for all.
    ///   - only: the requested courier; nil for all.
    ///   - after: only couriers with ids after this one.
    func callAsFunction(
        of store: StoreID?, only: CourierID?, after: CourierID?, limit: Int
    ) async throws -> CouriersBody {
        let found = try await CourierListRepository.couriers(
            of: store, only: only, after: after, limit: limit + 1, at: clock.now, on: pool)
        let page = Array(found.prefix(limit))
        return CouriersBody(couriers: page, next: found.count > limit ? page.last?.courier : nil)
    }
}
