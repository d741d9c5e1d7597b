import Messages
import ReliableMessaging

/// The messages that `partners` consumes: every change of a delivery, in any order and more than once.
struct PartnersMessages: Sendable {
    let applyDeliveryChange: ApplyDeliveryChange

    func handle(_ messages: [MessageConsumer<DeliveryChangedOutline>.Element]) async throws {
        try await applyDeliveryChange(
            messages.map { one in
                ApplyDeliveryChange.Received(
                    outline: one.message.delivery, cause: one.message.cause,
                    whole: { try one.context.decoded(as: DeliveryChanged.self) })
            })
    }
}
