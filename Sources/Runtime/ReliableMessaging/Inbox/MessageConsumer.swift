package import FlowControl
package import Logging
package import Messages
package import NatsClient
internal import ServiceLifecycle

/// Passes the messages of a durable consumer to a handler and settles each by its result.
///
/// A message is a batch of elements (``MessageBatch``); handler, dead letters and traces know elements alone.
///
/// | Result of an element | Settlement |
/// |---|---|
/// | it was handled | acknowledged |
/// | it cannot be decoded, contradicts its subject, or the handler threw ``RejectedMessage`` | dead letter, then discarded |
/// | Postgres or NATS is unavailable, however often | redelivered after a back-off |
/// | the handler failed otherwise | redelivered, and a dead letter the `attemptsMax`th time |
/// | the dead letter could not be written | not settled, so it is redelivered |
/// | no handler was called: its subject is not the consumer's | acknowledged |
///
/// A message is redelivered with all its elements while one of them must be; the others change nothing then.
/// The last row happens after the broker's disk lost part of a stream: the broker redelivers unacknowledged messages by
/// sequence number, and other messages have those numbers by then.
///
/// Delivery is at least once and unordered, so a handler compares versions. A newer schema that only adds properties
/// still decodes.
/// Metrics: see ``MessagingMetrics``.
package final class MessageConsumer<Message: ConsumedMessage>: Service {
    /// An element, and what else its handler may need.
    package typealias Element = (message: Message, context: MessageContext)
    /// Handles the elements of a message in a transaction that they may share with others, and returns the outcome of
    /// each.
    package typealias Handler = @Sendable ([Element]) async -> [Result<Void, any Error>]
    /// Handles several, all or none; when it throws they are handled one by one.
    package typealias BatchHandler = @Sendable ([Element]) async throws -> Void

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

    /// Handles dead letters of this consumer that an operator retries; each is one element.
    var deadLetterRetrier: DeadLetterRetrier {
        DeadLetterRetrier(consumer: consumer.durable, deadLetters: settler.deadLetters, logger: logger) { message in
            let element = (message: try message.decoded(as: Message.self), context: self.context(message))
            switch self.work {
            case .single(let handle): for outcome in await self.inSpans([element], handle) { try outcome.get() }
            case .batch(let handle): try await self.inSpans([element], handle)
            }
        }
    }

    private func context(_ message: StreamMessage) -> MessageContext {
        MessageContext(message, consumer: consumer.durable, logger: logger)
    }

    // MARK: Each by itself

    /// - Throws: when the message must not be settled.
    func settlement(of message: StreamMessage, _ handle: Handler) async throws -> Settlement {
        guard filter.matches(message.subject) else { return settler.passedOver(context(message)) }
        var settlement = Settlement.acknowledge
        var elements: [Element] = []
        for element in message.elements {
            let context = context(element)
            do {
                elements.append((try element.decoded(), context))
            } catch {
                settlement = settlement.and(try await settler.failed(error, context))
            }
        }
        guard !elements.isEmpty else { return settlement }
        for (element, outcome) in zip(elements, await inSpans(elements, handle)) {
            switch outcome {
            case .success: settlement = settlement.and(await settler.succeeded(element.context))
            case .failure(let error): settlement = settlement.and(try await settler.failed(error, element.context))
            }
        }
        return settlement
    }

    /// Handles elements in a span for each.
    private func inSpans(_ elements: [Element], _ handle: Handler) async -> [Result<Void, any Error>] {
        let (elements, spans) = withSpans(elements)
        let outcomes = await handle(elements)
        for (span, outcome) in zip(spans, outcomes) {
            switch outcome {
            case .success: span.end()
            case .failure(let error): span.end(error)
            }
        }
        return outcomes
    }

    // MARK: In batches

    /// The settlement of each message, by stream sequence; messages that must not be settled are missing.
    ///
    /// The elements of several messages share a transaction, up to as many as messages in a batch.
    func settlements(of messages: [StreamMessage], _ handle: BatchHandler) async throws -> [UInt64: Settlement] {
        var settlements: [UInt64: Settlement] = [:]
        var unsettled: Set<UInt64> = []
        func add(_ settlement: Settlement?, of message: StreamMessage) {
            let sequence = message.streamSequence
            guard let settlement else {
                unsettled.insert(sequence)
                return
            }
            settlements[sequence] = settlements[sequence]?.and(settlement) ?? settlement
        }
        var elements: [Element] = []
        for message in messages {
            guard filter.matches(message.subject) else {
                add(settler.passedOver(context(message)), of: message)
                continue
            }
            for element in message.elements {
                let context = context(element)
                do {
                    elements.append((try element.decoded(), context))
                } catch {
                    add(await settler.failedInBatch(error, context), of: element)
                }
            }
        }
        for start in stride(from: 0, to: elements.count, by: configuration.batchMax) {
            let batch = Array(elements[start..<min(start + configuration.batchMax, elements.count)])
            for (element, settlement) in zip(batch, await self.settlements(ofElements: batch, handle)) {
                add(settlement, of: element.context.message)
            }
        }
        return settlements.filter { !unsettled.contains($0.key) }
    }

    /// The settlement of each element; nil for one that must not be settled.
    private func settlements(ofElements batch: [Element], _ handle: BatchHandler) async -> [Settlement?] {
        var settlements: [Settlement?] = []
        do {
            try await inSpans(batch, handle)
            for element in batch { settlements.append(await settler.succeeded(element.context)) }
        } catch  where batch.count > 1 && FailureKind.mayBeOfOneElement(error) {
            // One of them made the batch fail; handling each alone finds it. Two that meet an outage in a row met the
            // same, and the others would.
            var outages: [any Error] = []
            for element in batch {
                if outages.count == 2 {
                    settlements.append(await settler.failedInBatch(outages[1], element.context))
                    continue
                }
                let (settlement, outage) = await self.settlement(ofOne: element, handle)
                settlements.append(settlement)
                if let outage { outages.append(outage) } else { outages = [] }
            }
        } catch {
            for element in batch { settlements.append(await settler.failedInBatch(error, element.context)) }
        }
        return settlements
    }

    /// The settlement of an element that is handled alone, and its error where that is a dependency's.
    private func settlement(
        ofOne element: Element, _ handle: BatchHandler
    ) async -> (settlement: Settlement?, outage: (any Error)?) {
        do {
            try await inSpans([element], handle)
            return (await settler.succeeded(element.context), nil)
        } catch {
            let outage = FailureKind(error) == .dependency ? error : nil
            return (await settler.failedInBatch(error, element.context), outage)
        }
    }

    /// Handles a batch in a span for each of its elements.
    private func inSpans(_ batch: [Element], _ handle: BatchHandler) async throws {
        let (batch, spans) = withSpans(batch)
        do {
            try await handle(batch)
            for span in spans { span.end() }
        } catch {
            for span in spans { span.end(error) }
            throw error
        }
    }

    private func withSpans(_ elements: [Element]) -> (elements: [Element], spans: [ConsumerSpan]) {
        var elements = elements
        let spans = elements.map {
            ConsumerSpan($0.context.message, below: $0.context.trace, consumer: consumer.durable)
        }
        for (index, span) in spans.enumerated() { elements[index].context.trace = span.context }
        return (elements, spans)
    }
}

extension Settlement {
    /// The settlement of a message by those of its elements: redelivered where one of them must be.
    fileprivate func and(_ other: Settlement) -> Settlement {
        switch (self, other) {
        case (.retry(let one), .retry(let another)): .retry(after: max(one, another))
        case (.retry, _), (_, .acknowledge): self
        case (_, .retry), (.acknowledge, _): other
        case (.discard, .discard): .discard
        }
    }
}

/// A consumer's concurrency, batch size and retry delays.
package struct MessageConsumerConfiguration: Sendable {
    /// Messages pulled at a time, and elements in one batch.
    package var batchMax = 64
    /// Handlers that run at the same time; keep it near the pool's connections.
    package var inFlightMessagesMax = 8
    /// Failures of the handler after which a message is a dead letter.
    package var attemptsMax = 10
    /// Delays between deliveries.
    ///
    /// The longest delay bounds the time from the end of an outage until its last message is handled.
    package var retry = BackOff(first: .milliseconds(250), longest: .seconds(15))

    package init() {}
}
