import Messages
import NatsClient
import ReliableMessaging

/// The messages that `partners` consumes: every change of a delivery, in any order and more than once.
struct PartnersMessages: Sendable {
    let applyDeliveryChange: ApplyDeliveryChange

    func handle(_ messages: [(message: DeliveryChanged, context: MessageContext)]) async throws {
        for one in messages {
            if let fault = one.message.fault(on: one.context.message.subject) { throw RejectedMessage(fault) }
        }
        try await applyDeliveryChange(messages.map(\.message))
    }
}
