import DomainTime
import OrderDomain
import PostgresClient

/// Exempts couriers from customers' maps, and ends an exemption.
struct ExemptFromMap: Sendable {
    let pool: PostgresPool
    let clock: DomainClock

    /// Whether customers' maps may show the courier.
    func isShown(_ courier: CourierID) async throws -> Bool {
        try await !CourierPlaceRepository.isExempt(courier, on: pool)
    }

    /// A repeat changes nothing.
    func set(isShown: Bool, of courier: CourierID, by subject: String) async throws {
        if isShown {
            try await CourierPlaceRepository.endExemption(of: courier, on: pool)
        } else {
            try await CourierPlaceRepository.exempt(courier, at: clock.now, by: subject, on: pool)
        }
    }
}
