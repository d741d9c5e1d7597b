import Logging
import Messages
import NatsClient
import Tracing

@testable import ReliableMessaging

/// Handles one element.
typealias SingleHandler<Message: ConsumedMessage> = @Sendable (Message, MessageContext) async throws -> Void

/// A handler of messages that handles their elements one after the other, each in its span.
func oneByOne<Message>(_ handle: @escaping SingleHandler<Message>) -> MessageConsumer<Message>.Handler {
    { elements in
        var outcomes: [Result<Void, any Error>] = []
        for element in elements {
            do {
                try await ServiceContext.withValue(element.context.trace) {
                    try await handle(element.message, element.context)
                }
                outcomes.append(.success(()))
            } catch {
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }
}

extension MessageConsumer {
    func settlement(
        of message: StreamMessage, _ handle: @escaping SingleHandler<Message>
    ) async throws -> Settlement {
        try await settlement(of: message, oneByOne(handle))
    }
}
