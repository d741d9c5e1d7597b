import Messages
import ReliableMessaging

/// The messages that `courier-eta` consumes, in any order and more than once: every change of a delivery, and
/// providers' positions of couriers.
struct CourierETAMessages: Sendable {
    let applyDeliveryChange: ApplyDeliveryChange
    let ingestPosition: IngestPosition

    func handle(_ messages: [MessageConsumer<DeliveryChanged>.Element]) async throws {
        try await applyDeliveryChange(
            messages.map { one in
                let tracing: ApplyDeliveryChange.Tracing = { messages in try one.context.continuingTrace(messages) }
                return (change: one.message, tracing: tracing)
            })
    }

    func handle(_ positions: [ProviderPosition]) async -> [Result<Void, any Error>] {
        await ingestPosition(positions)
    }
}
