internal import BackgroundWork
internal import DeclaredMetrics
package import FlowControl
package import Logging
internal import Metrics
package import NatsClient
package import PostgresClient
internal import ServiceLifecycle
internal import Synchronization

/// Publishes the rows of the outbox, each at least once and under its own id, and retries without limit.
///
/// Any number of replicas share the work. While the broker is away rows stay where they are. A message that the broker
/// itself refuses becomes a dead letter, and the others go on.
///
/// Metrics: see ``MessagingMetrics``.
package final class OutboxRelay: Service {
    package struct Configuration: Sendable {
        /// Rows leased and published together.
        package var batchRowsMax = 256
        /// How long a batch belongs to the relay that leased it; more than twice `publishTimeout`.
        package var leaseDuration = Duration.seconds(15)
        package var publishTimeout = Duration.seconds(5)
        /// Refusals after which a message is a dead letter.
        package var attemptsMax = 10
        /// Poll interval for rows without a wake-up: at first, and after a series of empty polls.
        package var poll = BackOff(first: .milliseconds(50), longest: .seconds(1))
        /// Waits while broker or database are away.
        package var outage = BackOff(first: .milliseconds(100), longest: .seconds(5))

        package init() {}
    }

    private typealias Batch = RelayBatch<PostgresOutboxStore, JetStreamPublisher>

    private static let samplingInterval = Duration.seconds(5)

    private let configuration: Configuration
    private let store: PostgresOutboxStore
    private let batch: Batch
    private let logger: Logger
    private let jitter: @Sendable () -> Double
    private let signal = WakeSignal()
    private let isStopping = Atomic(false)
    private let acknowledged = Mutex(AcknowledgedSequences())
    private let setBack = Mutex<Set<String>>([])
    private let published = MessagingMetrics.outboxPublished.counter()
    private let failed = MessagingMetrics.outboxFailed.counter()
    private let dead = MessagingMetrics.outboxDeadLettered.counter()
    private let oldest = MessagingMetrics.outboxOldestUnsent.gauge()

    package init(
        pool: PostgresPool, nats: NatsClient, configuration: Configuration = Configuration(), logger: Logger,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.jitter = jitter
        store = PostgresOutboxStore(pool: pool)
        batch = Batch(
            store: store, publisher: JetStreamPublisher(nats: nats), rowsMax: configuration.batchRowsMax,
            leaseDuration: configuration.leaseDuration, publishTimeout: configuration.publishTimeout,
            attemptsMax: configuration.attemptsMax)
    }

    /// Signals that rows were committed; costs nothing, however often it is called.
    package func wake() { signal.wake() }

    /// The streams that were seen to have been set back, each once: they have lost what was published before.
    package func takeSetBackStreams() -> Set<String> {
        setBack.withLock { streams in
            defer { streams = [] }
            return streams
        }
    }

    /// Relays until graceful shutdown; the running batch is finished then.
    ///
    /// Never fails because of an outage.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await relay()
        } onGracefulShutdown: {
            self.isStopping.store(true, ordering: .relaxed)
            self.signal.wake()
        }
    }

    /// Publishes everything that is free now, for tools and tests that do not ``run()``.
    ///
    /// - Returns: how many were published. Stops early when the broker is away.
    package func relayNow() async throws -> Int {
        var count = 0
        while true {
            let counts = try await relayBatch()
            count += counts.published
            if counts.leased == 0 || counts.connectionError != nil { return count }
        }
    }

    private func relay() async {
        var emptyPolls = 0
        var failures = 0
        var lastSample: ContinuousClock.Instant?
        while !Task.isCancelled, !isStopping.load(ordering: .relaxed) {
            var outage: String?
            do {
                let counts = try await relayBatch()
                outage = counts.connectionError
                emptyPolls = counts.leased == 0 ? emptyPolls + 1 : 0
                if lastSample.map({ .now - $0 >= Self.samplingInterval }) ?? true {
                    oldest.record((try await store.oldestAge() ?? .zero).inSeconds)
                    lastSample = .now
                }
            } catch {
                outage = "\(error)"
            }
            failures = noteOutage(outage, failures)
            if failures > 0 {
                await pause(configuration.outage.delay(failures: failures, jitter: jitter()))
            } else if emptyPolls > 0 {
                await signal.wait(atMost: configuration.poll.delay(failures: emptyPolls, jitter: jitter()))
            }
        }
    }

    /// Logs when an outage begins and ends, not every failed attempt.
    private func noteOutage(_ reason: String?, _ failures: Int) -> Int {
        guard let reason else {
            if failures > 0 { logger.info("The outbox relay publishes again") }
            return 0
        }
        if failures == 0, !Task.isCancelled {
            logger.warning("The outbox relay cannot publish, retrying", metadata: ["reason": "\(reason)"])
        }
        return failures + 1
    }

    /// Waits without ending at wake-ups: every commit would end the wait, and none ends the outage.
    private func pause(_ duration: Duration) async {
        // Cancellation and shutdown end it early; the loop sees both.
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
    }

    private func relayBatch() async throws -> Batch.Counts {
        let counts = try await batch.run()
        let lost = acknowledged.withLock { $0.take(counts.acknowledgements) }
        setBack.withLock { $0.formUnion(lost) }
        published.increment(by: counts.published)
        failed.increment(by: counts.failed + counts.dead)
        dead.increment(by: counts.dead)
        if counts.dead > 0 {
            logger.error(
                "The broker refused messages; they are dead letters now",
                metadata: ["messages": "\(counts.dead)"])
        }
        return counts
    }
}
