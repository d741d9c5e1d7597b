package import Configuration
package import DomainTime
internal import Foundation
package import Hummingbird
package import Logging
package import Messages
package import NatsClient
package import PostgresClient
package import ReliableMessaging
package import ServiceLifecycle

/// The foundation of a service with messages: ``ProcessFoundation``, outbox relay, consumers and dead letters.
///
/// A composition root makes one, builds its own parts on it, and returns ``services(_:http:)``. Nothing connects or
/// starts before those run.
package struct ServiceFoundation: Sendable {
    package let relay: OutboxRelay
    private let base: ProcessFoundation
    private let deadLetters: DeadLetters

    /// Reads the settings that all services share.
    ///
    /// - Parameter schema: the service's schema in Postgres, where it is not the process's own.
    /// - Throws: ``ConfigurationError`` for the first key with a fault.
    package init(
        _ process: ServiceProcess, reading settings: ConfigReader, telemetry: Telemetry, schema: String? = nil
    ) async throws {
        base = try await ProcessFoundation(process, reading: settings, telemetry: telemetry, schema: schema)
        relay = OutboxRelay(
            pool: base.postgres, nats: base.nats, logger: base.logger, wakeSubject: { Subject.wake(after: $0) })
        deadLetters = DeadLetters(pool: base.postgres)
    }

    package var stack: StackSettings { base.stack }
    package var logger: Logger { base.logger }
    package var metrics: MetricsRegistry { base.metrics }
    package var postgres: PostgresPool { base.postgres }
    package var nats: NatsClient { base.nats }

    /// The domain clock of the stack.
    package var clock: DomainClock { stack.clock }

    /// Signals the relay that messages were committed.
    package func wakeRelay() { relay.wake() }

    /// A consumer that handles the messages of a durable, each by itself.
    ///
    /// - Parameter inFlightMessagesMax: as of `MessageConsumerConfiguration`.
    package func consumer<Message: ConsumedMessage>(
        _ definition: ConsumerDefinition, of type: Message.Type = Message.self,
        inFlightMessagesMax: Int = MessageConsumerConfiguration().inFlightMessagesMax,
        handle: @escaping MessageConsumer<Message>.Handler
    ) -> some Service {
        var configuration = MessageConsumerConfiguration()
        configuration.inFlightMessagesMax = inFlightMessagesMax
        return MessageConsumer(
            nats.jetStream.consumer(stream: definition.stream.name, durable: definition.durable),
            subject: definition.subject, deadLetters: deadLetters, configuration: configuration, logger: logger,
            handle: handle)
    }

    /// A consumer that handles the messages of a durable in batches.
    package func consumer<Message: ConsumedMessage>(
        _ definition: ConsumerDefinition, of type: Message.Type = Message.self,
        handleBatch: @escaping MessageConsumer<Message>.BatchHandler
    ) -> some Service {
        MessageConsumer(
            nats.jetStream.consumer(stream: definition.stream.name, durable: definition.durable),
            subject: definition.subject, deadLetters: deadLetters, logger: logger, handleBatch: handleBatch)
    }

    /// The runner of the service's durable timers.
    ///
    /// - Parameter afterCommit: called after every handler's commit; wakes the relay by default.
    package func timers(
        _ handlers: [String: TimerRunner.Handler], afterCommit: (@Sendable () -> Void)? = nil
    ) -> TimerRunner {
        TimerRunner(
            pool: postgres, clock: clock, handlers: handlers, logger: logger, afterCommit: afterCommit ?? wakeRelay)
    }

    /// The periodic resync of the service's live snapshots.
    ///
    /// - Parameters:
    ///   - name: of the kind of objects, such as `deliveries`.
    ///   - afterCommit: called after every page; wakes the relay by default.
    ///   - rows: the republished rows.
    package func republisher(
        of name: String, afterCommit: (@Sendable () -> Void)? = nil, rows: some RepublishedRows
    ) -> Republisher {
        Republisher(
            pool: postgres, name: name, interval: stack.resyncInterval,
            readers: DigestRequester(nats, logger: logger), logger: logger, afterCommit: afterCommit ?? wakeRelay,
            rows: rows)
    }

    /// Answers a writer's digest with the published objects that this service lacks.
    package func digestResponder(on subject: String, lacking: @escaping DigestResponder.Lacking) -> DigestResponder {
        DigestResponder(nats, subject: subject, logger: logger, lacking: lacking)
    }

    /// Detects that the broker lost messages, and heals the loss.
    ///
    /// - Parameters:
    ///   - consumers: this service's consumers, and other services' consumers of its messages.
    ///   - republisher: the republisher of this service's messages.
    package func brokerCheck(_ consumers: ServiceConsumers, _ republisher: Republisher) -> BrokerCheck {
        func readers(_ consumers: [ConsumerDefinition]) -> [DurableReader] {
            consumers.map { DurableReader(stream: $0.stream.name, durable: $0.durable, subject: $0.subject) }
        }
        let nats = nats
        return BrokerCheck(
            nats.jetStream, reads: readers(consumers.reads), writes: readers(consumers.writes), logger: logger,
            setBack: relay.takeSetBackStreams, connection: { nats.connectionNumber }
        ) { try await republisher.republishLacking().isComplete }
    }

    /// The operators' routes of every service: dead letters, the resync and the access log.
    ///
    /// - Parameters:
    ///   - endsKeptDays: domain days for which the service keeps an ended delivery, against which late messages lose;
    ///     older messages are not retried. On a clock of another rate their wall time does not count. Nil without a limit.
    ///   - resync: republishes everything live and returns the number of objects.
    package func operatorRoutes(
        endsKeptDays: Int?, resync: @escaping @Sendable () async throws -> Int
    ) -> OperatorRoutes {
        OperatorRoutes(
            DeadLetters(
                pool: postgres, messageDaysMax: Self.messageDaysMax(endsKeptDays: endsKeptDays, rate: clock.rate)),
            reads: base.reads, wakeRelay: wakeRelay, resync: resync)
    }

    /// Wall days after which a message is not retried; nil without a limit.
    static func messageDaysMax(endsKeptDays: Int?, rate: Double) -> Int? { rate == 1 ? endsKeptDays : nil }

    /// The HTTP port, ready when the database and its schema are.
    ///
    /// Without the broker the port still answers requests, and their messages wait in the outbox: unready replicas
    /// would close the shop without need.
    /// - Parameters: as of ``HTTPService``; `brokerCheck` for the detail of readiness.
    package func http(
        openAPI: [UInt8], queryParameters: QueryParameters, publicOrigin: String? = nil, brokerCheck: BrokerCheck,
        addOwnCredentialRoutes: (Router<AppContext>) -> Void = { _ in },
        addRoutes: (Router<AppContext>) throws -> Void
    ) rethrows -> HTTPService {
        try base.http(
            openAPI: openAPI, queryParameters: queryParameters.adding(OperatorRoutes.queryParameters),
            publicOrigin: publicOrigin,
            checks: [ReadinessCheck(name: "streams", isRequired: false) { try brokerCheck.checkStreams() }],
            addOwnCredentialRoutes: addOwnCredentialRoutes, addRoutes: addRoutes)
    }

    /// All services in dependency order: each may use those before it, and shutdown runs in reverse, so that the
    /// exporter sends the spans of all others' last work.
    ///
    /// - Parameter own: the service's own parts, between the connections and the port.
    package func services(_ own: [any Service], http: HTTPService) -> [any Service] {
        base.services(
            [relay] + own + [DeadLetterMaintenance(deadLetters, keptDays: stack.deadLettersDays, logger: logger)],
            http: http)
    }
}
