import Messages
import ReliableMessaging

/// The messages that `partners` consumes: every change of a delivery, in any order and more than once.
struct PartnersMessages: Sendable {
    let applyDeliveryChange: ApplyDeliveryChange

    func handle(_ messages: [(message: DeliveryChanged, context: MessageContext)]) async throws {
        try await applyDeliveryChange(messages.map(\.message))
    }
}
