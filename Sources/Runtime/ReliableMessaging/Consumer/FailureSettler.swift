internal import FlowControl
internal import Logging
internal import Metrics
internal import NatsClient

/// Decides what becomes of a message after its handler, and keeps what must be kept before that is said.
struct FailureSettler: Sendable {
    let consumer: String
    let deadLetters: DeadLetters
    let attemptsMax: Int
    let retry: BackOff
    let jitter: @Sendable () -> Double

    /// The message was taken.
    func succeeded(_ context: MessageContext) async -> Settlement {
        count("messages_handled_total")
        // Only a message that came before can have been refused before. A count that stays is deleted with the old.
        if context.delivery.deliveryCount > 1 { try? await deadLetters.forget(context.delivery, of: consumer) }
        return .acknowledge
    }

    /// The one place where a consumer's failures are sorted, logged and counted.
    ///
    /// - Throws: when the message could not be kept: then it must not be settled.
    func failed(_ error: any Error, _ context: MessageContext) async throws -> Settlement {
        let message = context.delivery
        let wait = retry.delay(failures: message.deliveryCount, jitter: jitter())
        switch FailureKind(error) {
        case .badMessage:
            try await deadLetters.record(message, of: consumer, error: "\(error)")
            return buried(error, context)
        case .dependency:
            count("messages_retried_total", [("cause", "dependency")])
            context.logger.debug("Waiting for a dependency", metadata: ["reason": "\(error)"])
            return .retry(after: wait)
        case .interrupted: return .retry(after: .zero)
        case .ours:
            let isDead = try await deadLetters.note(
                message, of: consumer, error: "\(error)", attemptsMax: attemptsMax)
            if isDead { return buried(error, context) }
            count("messages_retried_total", [("cause", "handler")])
            context.logger.warning("A message was refused, it will be tried again", metadata: ["reason": "\(error)"])
            return .retry(after: wait)
        }
    }

    private func buried(_ error: any Error, _ context: MessageContext) -> Settlement {
        count("messages_dead_total")
        context.logger.error("A message cannot be taken; it is a dead letter now", metadata: ["reason": "\(error)"])
        return .discard
    }

    private func count(_ label: String, _ dimensions: [(String, String)] = []) {
        Counter(label: label, dimensions: [("consumer", consumer)] + dimensions).increment()
    }
}
