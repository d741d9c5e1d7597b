import DomainTime
import DoorstepAPI
import OrderDomain
import PostgresClient

/// Notes what a provider calls a delivery, and applies what the provider said of it before.
struct SetProviderReference: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let applyWaiting: ApplyWaiting

    enum Refusal: Error, Hashable {
        case noSource(SourceID)
        case inUse(ProviderReferenceBody)
        case notFound(DeliveryID)
    }

    /// - Parameter scope: the only store whose delivery it may be; nil for all.
    /// - Returns: everything that providers call the delivery.
    func callAsFunction(
        _ reference: ProviderReferenceBody, of delivery: DeliveryID, within scope: StoreID?
    ) async throws -> ProviderReferencesBody {
        guard try await SourceRepository.hasSource(reference.source, for: scope, on: pool) else {
            throw Refusal.noSource(reference.source)
        }
        if let store = try await DeliveryRepository.store(of: delivery, on: pool), let scope, store != scope {
            throw Refusal.notFound(delivery)
        }
        let holder = try await SourceRepository.setReference(
            reference, of: delivery, within: scope, at: clock.now, on: pool)
        guard holder == delivery.rawValue else { throw Refusal.inUse(reference) }
        try await applyWaiting(for: [delivery])
        return try await references(of: delivery, within: scope)
    }

    func references(of delivery: DeliveryID, within scope: StoreID?) async throws -> ProviderReferencesBody {
        ProviderReferencesBody(
            delivery: delivery,
            references: try await SourceRepository.references(of: delivery, within: scope, on: pool))
    }
}
