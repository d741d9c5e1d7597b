import Messages
import NatsClient
import ReliableMessaging

/// The messages that `courier-eta` consumes: every change of a delivery, in any order and more than once.
struct CourierETAMessages: Sendable {
    let applyDeliveryChange: ApplyDeliveryChange

    func handle(_ messages: [(message: DeliveryChanged, context: MessageContext)]) async throws {
        for one in messages {
            if let fault = one.message.fault(on: one.context.message.subject) { throw RejectedMessage(fault) }
        }
        try await applyDeliveryChange(
            messages.map { one in
                let tracing: ApplyDeliveryChange.Tracing = { messages in try one.context.continuingTrace(messages) }
                return (change: one.message, tracing: tracing)
            })
    }
}
