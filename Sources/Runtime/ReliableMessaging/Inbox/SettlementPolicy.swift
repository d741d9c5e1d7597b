internal import DeclaredMetrics
internal import FlowControl
internal import Logging
internal import Metrics
internal import NatsClient

/// Decides how a message is settled after its handler, and writes dead letters before they are discarded.
struct SettlementPolicy: Sendable {
    let consumer: String
    let deadLetters: DeadLetters
    let attemptsMax: Int
    let retry: BackOff
    let jitter: @Sendable () -> Double
    private let handled: Counter

    init(
        consumer: String, deadLetters: DeadLetters, attemptsMax: Int, retry: BackOff,
        jitter: @escaping @Sendable () -> Double
    ) {
        self.consumer = consumer
        self.deadLetters = deadLetters
        self.attemptsMax = attemptsMax
        self.retry = retry
        self.jitter = jitter
        handled = MessagingMetrics.messagesHandled.counter([("consumer", consumer)])
    }

    /// The handler returned.
    func succeeded(_ context: MessageContext) async -> Settlement {
        handled.increment()
        // Only a redelivered message can have failed before. A count that remains is deleted by retention.
        if context.message.deliveryCount > 1 { try? await deadLetters.clearFailures(context.message, of: consumer) }
        return .acknowledge
    }

    /// The message is not the consumer's: its number was another message's before the broker lost that.
    func passedOver(_ context: MessageContext) -> Settlement {
        context.logger.warning("A message of another subject was redelivered: its stream was set back")
        return .acknowledge
    }

    /// The one place where a consumer's failures are classified, logged and counted.
    ///
    /// - Throws: when the dead letter could not be written: then the message must not be settled.
    func failed(_ error: any Error, _ context: MessageContext) async throws -> Settlement {
        let message = context.message
        let wait = retry.delay(failures: message.deliveryCount, jitter: jitter())
        switch FailureKind(error) {
        case .badMessage:
            try await deadLetters.record(message, of: consumer, error: "\(error)")
            return deadLettered(error, context)
        case .dependency:
            count(MessagingMetrics.messagesRetried, [("cause", "dependency")])
            context.logger.debug(
                "A dependency is unavailable, the message will be redelivered", metadata: ["reason": "\(error)"])
            return .retry(after: wait)
        case .interrupted: return .retry(after: .zero)
        case .ours:
            let isDead = try await deadLetters.countFailure(
                message, of: consumer, error: "\(error)", attemptsMax: attemptsMax)
            if isDead { return deadLettered(error, context) }
            count(MessagingMetrics.messagesRetried, [("cause", "handler")])
            context.logger.warning(
                "A message's handler failed, it will be redelivered", metadata: ["reason": "\(error)"])
            return .retry(after: wait)
        }
    }

    /// Same as ``failed(_:_:)`` for a message of a batch.
    ///
    /// - Returns: nil, with a log line, where the message must not be settled.
    func failedInBatch(_ error: any Error, _ context: MessageContext) async -> Settlement? {
        do {
            return try await failed(error, context)
        } catch {
            logUnsettled(error, context)
            return nil
        }
    }

    /// Logs why a message of a batch is not settled; the puller logs the error of a single message.
    func logUnsettled(_ error: any Error, _ context: MessageContext) {
        let level: Logger.Level = FailureKind(error) == .ours ? .warning : .debug
        context.logger.log(
            level: level, "A message's failure could not be stored, it will be redelivered",
            metadata: ["reason": "\(error)"])
    }

    private func deadLettered(_ error: any Error, _ context: MessageContext) -> Settlement {
        count(MessagingMetrics.messagesDeadLettered)
        context.logger.error("A message cannot be handled; it is a dead letter now", metadata: ["reason": "\(error)"])
        return .discard
    }

    private func count(_ metric: DeclaredMetric, _ dimensions: [(String, String)] = []) {
        metric.counter([("consumer", consumer)] + dimensions).increment()
    }
}
