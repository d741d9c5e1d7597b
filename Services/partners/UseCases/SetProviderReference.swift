import DomainTime
import DoorstepAPI
import OrderDomain
import PostgresClient

/// Records a provider's reference of a delivery, and applies earlier events with that reference.
///
/// A reference belongs to a store: a token of one store may set references of that store's sources for its deliveries
/// alone. A source of every store requires a token of every store, which sets no reference of one store's source for
/// another store's delivery. A token of one delivery counts as one of that delivery's store. A reference set for
/// deliveries of two stores is contested, and events with it wait until an operator decides.
struct SetProviderReference: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let applyWaiting: ApplyWaiting

    enum Refusal: Error, Hashable {
        case noSource(SourceID)
        case inUse(ProviderReferenceBody)
        case notFound(DeliveryID)
        /// The source is of another store than the delivery, on which it may report nothing.
        case otherStore(SourceID, DeliveryID)
    }

    /// - Parameters:
    ///   - store: the only store of the caller's token; nil for all.
    ///   - isOfOne: whether the token is of this delivery alone.
    ///   - decides: whether a contested reference is this delivery's from now on.
    /// - Returns: all providers' references of the delivery.
    func callAsFunction(
        _ reference: ProviderReferenceBody, of delivery: DeliveryID, within store: StoreID?, isOfOne: Bool,
        decides: Bool
    ) async throws -> ProviderReferencesBody {
        let owner = isOfOne || store != nil ? try await DeliveryRepository.store(of: delivery, on: pool) : nil
        if isOfOne, owner == nil { throw Refusal.notFound(delivery) }
        let scope = store ?? owner
        let reference = ProviderReferenceBody(
            source: reference.source, reference: Receipt.comparedForm(of: reference.reference))
        guard try await SourceRepository.hasSource(reference.source, of: scope, on: pool) else {
            throw Refusal.noSource(reference.source)
        }
        if let scope {
            guard owner == scope else { throw Refusal.notFound(delivery) }
        } else if try await SourceRepository.isOfOtherStore(reference.source, than: delivery, on: pool) {
            throw Refusal.otherStore(reference.source, delivery)
        }
        let holder = try await SourceRepository.setReference(
            reference, of: delivery, within: scope, decides: decides, at: clock.now, on: pool)
        guard let holder else { throw Refusal.noSource(reference.source) }
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
