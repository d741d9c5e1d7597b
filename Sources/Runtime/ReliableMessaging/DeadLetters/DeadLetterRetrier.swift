internal import BackgroundWork
internal import DeclaredMetrics
internal import Foundation
internal import Logging
internal import Metrics
internal import NatsClient

/// Passes a consumer the dead letters that an operator retries.
///
/// The retrier reads the service's own table and not the broker: a message belongs to the service that published it,
/// and no other may publish on its subject.
///
/// | Result | State of the dead letter |
/// |---|---|
/// | the handler returned | `retried` |
/// | the handler failed again, or it cannot be decoded | `open`, with the new reason and one attempt more |
/// | Postgres or NATS is unavailable, or the process ends | stays `retrying`, and is retried when its lease is over |
struct DeadLetterRetrier: Sendable {
    /// The table's poll interval; an operator waits for the result.
    static let pollInterval = Duration.seconds(1)
    /// Longer than any handler runs.
    static let leaseDuration = Duration.seconds(30)

    let consumer: String
    let deadLetters: DeadLetters
    let logger: Logger
    /// Decodes and handles one message.
    let handle: @Sendable (StreamMessage) async throws -> Void

    /// Retries until graceful shutdown.
    func run() async throws {
        try await PeriodicTask("dead-letter retry of \(consumer)", every: Self.pollInterval, logger: logger) {
            while try await retryOne() {}
        }.run()
    }

    /// Handles one dead letter in state `retrying`; false when there is none.
    func retryOne() async throws -> Bool {
        guard let letter = try await deadLetters.leaseForRetry(of: consumer, for: Self.leaseDuration) else {
            return false
        }
        do {
            try await handle(StreamMessage(letter))
        } catch {
            switch FailureKind(error) {
            case .dependency, .interrupted: throw error
            case .badMessage, .ours:
                try await deadLetters.reopen(letter.id, error: "\(error)")
                MessagingMetrics.messagesDeadLettered.counter([("consumer", consumer)]).increment()
                logger.error(
                    "A retried dead letter failed again",
                    metadata: [
                        "dead_letter": "\(letter.id)", "subject": "\(letter.subject)", "reason": "\(error)",
                    ])
                return true
            }
        }
        try await deadLetters.retried(letter.id)
        MessagingMetrics.messagesHandled.counter([("consumer", consumer)]).increment()
        return true
    }
}

extension StreamMessage {
    init(_ letter: DeadLetter) {
        self.init(
            subject: letter.subject, payload: letter.payload, headers: letter.headers, stream: letter.stream ?? "",
            streamSequence: UInt64(clamping: letter.streamSequence ?? 0), deliveryCount: letter.attempts + 1,
            timestamp: letter.storedAt ?? letter.occurredAt)
    }
}
