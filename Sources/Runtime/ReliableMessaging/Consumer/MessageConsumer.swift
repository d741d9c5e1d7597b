package import FlowControl
internal import Foundation
package import Logging
package import NatsClient
internal import ServiceLifecycle
internal import WireCoding

/// Hands the messages of a durable consumer to a handler and settles each by what became of it.
///
/// | What happened | What becomes of the message |
/// |---|---|
/// | the handler returned | acknowledged |
/// | it cannot be decoded, or the handler threw ``RejectedMessage`` | dead letter, then discarded |
/// | Postgres or NATS is away, however often | comes again after a growing wait |
/// | the handler threw anything else | comes again, and is a dead letter the `attemptsMax`th time |
/// | the dead letter could not be written | not settled, so it comes again |
///
/// Delivery is at least once and in no order, so a handler compares versions. A message of a newer schema decodes as
/// long as that only added to it.
/// Metrics, by consumer: `messages_handled_total`, `messages_retried_total` (by cause), `messages_dead_total`.
package final class MessageConsumer<Message: Decodable & Sendable>: Service {
    /// What is done with one message.
    package typealias Handler = @Sendable (Message, MessageContext) async throws -> Void
    /// What is done with several, all or none; when it throws they are tried one by one.
    package typealias BatchHandler = @Sendable ([(message: Message, context: MessageContext)]) async throws -> Void

    private enum Work: Sendable {
        case single(Handler)
        case batch(BatchHandler)
    }

    private let consumer: PullConsumer
    private let configuration: MessageConsumerConfiguration
    private let settler: FailureSettler
    private let logger: Logger
    private let work: Work

    /// A consumer that works on several messages at a time, each by itself.
    package convenience init(
        _ consumer: PullConsumer, of type: Message.Type = Message.self, deadLetters: DeadLetters,
        configuration: MessageConsumerConfiguration = .init(), logger: Logger,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }, handle: @escaping Handler
    ) {
        self.init(consumer, deadLetters, configuration, logger, jitter, .single(handle))
    }

    /// A consumer that works on what has gathered together, one batch after the other.
    package convenience init(
        _ consumer: PullConsumer, of type: Message.Type = Message.self, deadLetters: DeadLetters,
        configuration: MessageConsumerConfiguration = .init(), logger: Logger,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }, handleBatch: @escaping BatchHandler
    ) {
        self.init(consumer, deadLetters, configuration, logger, jitter, .batch(handleBatch))
    }

    private init(
        _ consumer: PullConsumer, _ deadLetters: DeadLetters, _ configuration: MessageConsumerConfiguration,
        _ logger: Logger, _ jitter: @escaping @Sendable () -> Double, _ work: Work
    ) {
        self.consumer = consumer
        self.configuration = configuration
        self.logger = logger
        self.work = work
        settler = FailureSettler(
            consumer: consumer.durable, deadLetters: deadLetters, attemptsMax: configuration.attemptsMax,
            retry: configuration.retry, jitter: jitter)
    }

    /// Consumes until graceful shutdown; messages being worked on are finished then.
    ///
    /// What a person wants tried again is redelivered meanwhile.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.redelivery.run() }
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
                // A message without a decision could not be kept: it comes again.
                try await batch.settle { settlements[$0.streamSequence] ?? .retry(after: .seconds(1)) }
            }
        }
    }

    /// What tries dead letters of this consumer again.
    var redelivery: Redelivery {
        Redelivery(consumer: consumer.durable, deadLetters: settler.deadLetters, logger: logger) { delivery in
            let context = MessageContext(delivery, consumer: self.consumer.durable, logger: self.logger)
            let message = try Self.decode(delivery)
            try await TracePropagation.continuing(delivery.headers) {
                switch self.work {
                case .single(let handle): try await handle(message, context)
                case .batch(let handle): try await handle([(message, context)])
                }
            }
        }
    }

    /// - Throws: when the message must not be settled.
    func settlement(of delivery: StreamMessage, _ handle: Handler) async throws -> Settlement {
        let context = MessageContext(delivery, consumer: consumer.durable, logger: logger)
        do {
            let message = try Self.decode(delivery)
            try await TracePropagation.continuing(delivery.headers) { try await handle(message, context) }
        } catch {
            return try await settler.failed(error, context)
        }
        return await settler.succeeded(context)
    }

    /// What becomes of each, by stream sequence; those that must not be settled are missing.
    func settlements(of deliveries: [StreamMessage], _ handle: BatchHandler) async throws -> [UInt64: Settlement] {
        var settlements: [UInt64: Settlement] = [:]
        var decoded: [(message: Message, context: MessageContext)] = []
        for delivery in deliveries {
            let context = MessageContext(delivery, consumer: consumer.durable, logger: logger)
            do {
                decoded.append((try Self.decode(delivery), context))
            } catch {
                settlements[delivery.streamSequence] = try? await settler.failed(error, context)
            }
        }
        guard !decoded.isEmpty else { return settlements }
        do {
            try await handle(decoded)
            for one in decoded {
                settlements[one.context.delivery.streamSequence] = await settler.succeeded(one.context)
            }
        } catch  where FailureKind(error) == .ours || FailureKind(error) == .badMessage {
            // One of them is to blame; which one shows when each is alone.
            for one in decoded {
                settlements[one.context.delivery.streamSequence] = try? await settlement(of: one.context.delivery) {
                    try await handle([($0, $1)])
                }
            }
        } catch {
            for one in decoded {
                settlements[one.context.delivery.streamSequence] = try? await settler.failed(error, one.context)
            }
        }
        return settlements
    }

    private static func decode(_ delivery: StreamMessage) throws -> Message {
        do {
            return try WireJSON.decode(Message.self, from: Data(delivery.payload))
        } catch {
            throw UndecodableMessage(error)
        }
    }
}

/// How many messages at a time and how often.
package struct MessageConsumerConfiguration: Sendable {
    /// Messages asked for at a time, and in one batch.
    package var batchMax = 64
    /// Handlers that run at the same time; keep it near the pool's connections.
    package var inFlightMessagesMax = 8
    /// Refusals by the handler after which a message is a dead letter.
    package var attemptsMax = 10
    /// Waits between deliveries.
    ///
    /// The longest bounds how long after an outage the last message is taken.
    package var retry = BackOff(first: .milliseconds(250), longest: .seconds(15))

    package init() {}
}
