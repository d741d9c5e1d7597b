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
    ///   - asShop: whether the reader is a shop's backend.
    ///   - only: the requested courier; nil for all.
    ///   - after: only couriers with ids after this one.
    func callAsFunction(
        of store: StoreID?, asShop: Bool, only: CourierID?, after: CourierID?, limit: Int
    ) async throws -> CouriersBody {
        let found = try await CourierListRepository.couriers(
            of: store, asShop: asShop, only: only, after: after, limit: limit + 1, at: clock.now, on: pool)
        let page = Array(found.prefix(limit))
        return CouriersBody(couriers: page, next: found.count > limit ? page.last?.courier : nil)
    }
}
