import DomainTime
import DoorstepAPI
import LiveActivity
import OrderDomain
import PostgresClient

extension ChangeDelivery {
    /// The effect of a change, and the activity before and after it; it locks and writes nothing.
    ///
    /// - Throws: the change's own errors.
    func preview(
        _ id: DeliveryID, by principal: Principal, overtakesPress: Bool = false,
        decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws -> (outcome: Outcome, former: ActivityStep, next: ActivityStep) {
        guard let record = try await OrderRepository.delivery(id, opening: personalData, on: pool) else {
            throw Refusal.notFound(id)
        }
        var changes = DeliveryTransaction(
            .init(clock: clock, messages: messages, personalData: personalData), of: [record])
        if overtakesPress { try await changes.readWaiting([id], on: pool) }
        let outcome = try changes.apply(
            Request(delivery: id, principal: principal, overtakesPress: overtakesPress, decide: decide))
        let now = clock.now
        return (
            outcome, messages.stepWithoutLinks(for: record, at: now),
            messages.stepWithoutLinks(for: outcome.record, at: now)
        )
    }
}
