import Messages
import ReliableMessaging

/// What `courier-eta` hears: every change of a delivery, in any order and more than once.
struct CourierETAMessages: Sendable {
    let takeDelivery: TakeDelivery

    func handle(_ messages: [(message: DeliveryChanged, context: MessageContext)]) async throws {
        try await takeDelivery(
            messages.map { one in
                let tracing: TakeDelivery.Tracing = { words in try one.context.continuingTrace(words) }
                return (change: one.message, tracing: tracing)
            })
    }
}
