package import FlowControl
internal import Foundation
package import Logging
package import Messages
package import NatsClient
internal import ServiceLifecycle
internal import WireCoding

/// Passes the messages of a durable consumer to a handler and settles each by its result.
///
/// | Result | Settlement |
/// |---|---|
/// | the handler returned | acknowledged |
/// | it cannot be decoded, contradicts its subject, or the handler threw ``RejectedMessage`` | dead letter, then discarded |
/// | Postgres or NATS is unavailable, however often | redelivered after a back-off |
/// | the handler threw anything else | redelivered, and a dead letter the `attemptsMax`th time |
/// | the dead letter could not be written | not settled, so it is redelivered |
/// | no handler was called: its subject is not the consumer's | acknowledged |
///
/// The last row happens after the broker's disk lost part of a stream: the broker redelivers unacknowledged messages by
/// sequence number, and other messages have those numbers by then.
///
/// Delivery is at least once and unordered, so a handler compares versions. A newer schema that only adds properties
/// still decodes.
/// Metrics: see ``MessagingMetrics``.
package final class MessageConsumer<Message: ConsumedMessage>: Service {
    /// Handles one message.
    package typealias Handler = @Sendable (Message, MessageContext) async throws -> Void
    /// Handles several, all or none; when it throws they are handled one by one.
    package typealias BatchHandler = @Sendable ([(message: Message, context: MessageContext)]) async throws -> Void

    private enum Work: Sendable {
        case single(Handler)
        case batch(BatchHandler)
    }

    private let consumer: PullConsumer
    private let filter: SubjectFilter
    private let configuration: MessageConsumerConfiguration
    private let settler: SettlementPolicy
    private let logger: Logger
    private let work: Work

    /// A consumer that handles several messages at a time, each by itself.
    ///
    /// - Parameter subject: the filter of the durable consumer.
    package convenience init(
        _ consumer: PullConsumer, of type: Message.Type = Message.self, subject: String, deadLetters: DeadLetters,
        configuration: MessageConsumerConfiguration = .init(), logger: Logger,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }, handle: @escaping Handler
    ) {
        self.init(consumer, SubjectFilter(subject), deadLetters, configuration, logger, jitter, .single(handle))
    }

    /// A consumer that handles messages in batches, one batch after the other.
    ///
    /// - Parameter subject: the filter of the durable consumer.
    package convenience init(
        _ consumer: PullConsumer, of type: Message.Type = Message.self, subject: String, deadLetters: DeadLetters,
        configuration: MessageConsumerConfiguration = .init(), logger: Logger,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }, handleBatch: @escaping BatchHandler
    ) {
        self.init(consumer, SubjectFilter(subject), deadLetters, configuration, logger, jitter, .batch(handleBatch))
    }

    private init(
        _ consumer: PullConsumer, _ filter: SubjectFilter, _ deadLetters: DeadLetters,
        _ configuration: MessageConsumerConfiguration, _ logger: Logger, _ jitter: @escaping @Sendable () -> Double,
        _ work: Work
    ) {
        self.consumer = consumer
        self.filter = filter
        self.configuration = configuration
        self.logger = logger
        self.work = work
        settler = SettlementPolicy(
            consumer: consumer.durable, deadLetters: deadLetters, attemptsMax: configuration.attemptsMax,
            retry: configuration.retry, jitter: jitter)
    }

    /// Consumes until graceful shutdown; running handlers are finished then.
    ///
    /// Dead letters that an operator retries are handled meanwhile.
    /// - Throws: `CancellationError`; or a failure of the C library that no reconnect heals.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.deadLetterRetrier.run() }
            try await self.consume()
            group.cancelAll()
        }
    }

    private func consume() async throws {
        switch work {
        case .single(let handle):
            try await consumer.forEach(
                batchMax: configuration.batchMax, inFlightMessagesMax: configuration.inFlightMessagesMax
            ) { (message: consuming ReceivedMessage) in
                let settlement = try await self.settlement(of: message.content, handle)
                try await message.settle(settlement)
            }
        case .batch(let handle):
            try await consumer.forEachBatch(batchMax: configuration.batchMax) { (batch: consuming ReceivedBatch) in
                let settlements = try await self.settlements(of: batch.messages, handle)
                // The dead letter of a message without a settlement could not be written: it is redelivered.
                try await batch.settle { settlements[$0.streamSequence] ?? .retry(after: .seconds(1)) }
            }
        }
    }

    /// Handles dead letters of this consumer that an operator retries.
    var deadLetterRetrier: DeadLetterRetrier {
        DeadLetterRetrier(consumer: consumer.durable, deadLetters: settler.deadLetters, logger: logger) { message in
            let context = MessageContext(message, consumer: self.consumer.durable, logger: self.logger)
            try await self.inSpan(context) { context in
                let decoded = try Self.decode(message)
                switch self.work {
                case .single(let handle): try await handle(decoded, context)
                case .batch(let handle): try await handle([(decoded, context)])
                }
            }
        }
    }

    /// - Throws: when the message must not be settled.
    func settlement(of message: StreamMessage, _ handle: Handler) async throws -> Settlement {
        let context = MessageContext(message, consumer: consumer.durable, logger: logger)
        guard filter.matches(message.subject) else { return settler.passedOver(context) }
        do {
            try await inSpan(context) { context in try await handle(try Self.decode(message), context) }
        } catch {
            return try await settler.failed(error, context)
        }
        return await settler.succeeded(context)
    }

    /// Handles a message in a span of its own.
    private func inSpan(
        _ context: MessageContext, _ handle: (MessageContext) async throws -> Void
    ) async throws {
        let span = ConsumerSpan(context.message, consumer: consumer.durable)
        var context = context
        context.trace = span.context
        do {
            try await span.run { try await handle(context) }
            span.end()
        } catch {
            span.end(error)
            throw error
        }
    }

    /// The settlement of each message, by stream sequence; messages that must not be settled are missing.
    func settlements(of messages: [StreamMessage], _ handle: BatchHandler) async throws -> [UInt64: Settlement] {
        var settlements: [UInt64: Settlement] = [:]
        var decoded: [(message: Message, context: MessageContext)] = []
        for message in messages {
            let context = MessageContext(message, consumer: consumer.durable, logger: logger)
            guard filter.matches(message.subject) else {
                settlements[message.streamSequence] = settler.passedOver(context)
                continue
            }
            do {
                decoded.append((try Self.decode(message), context))
            } catch {
                settlements[message.streamSequence] = await settler.failedInBatch(error, context)
            }
        }
        guard !decoded.isEmpty else { return settlements }
        do {
            try await inSpans(decoded, handle)
            for one in decoded {
                settlements[one.context.message.streamSequence] = await settler.succeeded(one.context)
            }
        } catch  where FailureKind(error) == .ours || FailureKind(error) == .badMessage {
            // One of them made the batch fail; handling each alone finds it.
            for one in decoded {
                do {
                    settlements[one.context.message.streamSequence] = try await settlement(of: one.context.message) {
                        try await handle([($0, $1)])
                    }
                } catch {
                    settler.logUnsettled(error, one.context)
                }
            }
        } catch {
            for one in decoded {
                settlements[one.context.message.streamSequence] = await settler.failedInBatch(error, one.context)
            }
        }
        return settlements
    }

    /// Handles a batch in a span for each of its messages.
    private func inSpans(
        _ batch: [(message: Message, context: MessageContext)], _ handle: BatchHandler
    ) async throws {
        var batch = batch
        let spans = batch.map { ConsumerSpan($0.context.message, consumer: consumer.durable) }
        for (index, span) in spans.enumerated() { batch[index].context.trace = span.context }
        do {
            try await handle(batch)
            for span in spans { span.end() }
        } catch {
            for span in spans { span.end(error) }
            throw error
        }
    }

    private static func decode(_ message: StreamMessage) throws -> Message {
        let decoded: Message
        do {
            decoded = try WireJSON.decode(Message.self, from: Data(message.payload))
        } catch {
            throw UndecodableMessage(error)
        }
        if let fault = decoded.fault(on: message.subject) { throw RejectedMessage(fault) }
        return decoded
    }
}

/// A consumer's concurrency, batch size and retry delays.
package struct MessageConsumerConfiguration: Sendable {
    /// Messages pulled at a time, and in one batch.
    package var batchMax = 64
    /// Handlers that run at the same time; keep it near the pool's connections.
    package var inFlightMessagesMax = 8
    /// Failures of the handler after which a message is a dead letter.
    package var attemptsMax = 10
    /// Delays between deliveries.
    ///
    /// The longest bounds how long after an outage the last message is handled.
    package var retry = BackOff(first: .milliseconds(250), longest: .seconds(15))

    package init() {}
}
