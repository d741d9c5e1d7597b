internal import BackgroundWork
package import FlowControl
package import Logging
internal import Metrics
package import NatsClient
package import PostgresClient
internal import ServiceLifecycle
internal import Synchronization

/// Publishes what was enqueued, each message at least once and under its own id, for as long as it takes.
///
/// Any number of replicas share the work. While the broker is away rows stay where they are. A message that the broker
/// refuses for what it is goes to the dead letters, and the others go on.
///
/// Metrics: `outbox_published_total`, `outbox_failed_total`, `outbox_dead_total`, `outbox_oldest_unsent_seconds`.
package final class OutboxRelay: Service {
    package struct Configuration: Sendable {
        /// Rows leased and published together.
        package var batchRowsMax = 256
        /// How long a batch belongs to the relay that leased it; more than twice `publishTimeout`.
        package var leaseDuration = Duration.seconds(15)
        package var publishTimeout = Duration.seconds(5)
        /// Refusals after which a message is dead.
        package var attemptsMax = 10
        /// How often to look for rows that nobody woke us for: at first, and after a while of finding none.
        package var poll = BackOff(first: .milliseconds(50), longest: .seconds(1))
        /// Waits while broker or database are away.
        package var outage = BackOff(first: .milliseconds(100), longest: .seconds(5))

        package init() {}
    }

    private typealias Pass = RelayPass<PostgresOutboxStore, JetStreamPublisher>

    private static let samplingInterval = Duration.seconds(5)

    private let configuration: Configuration
    private let store: PostgresOutboxStore
    private let pass: Pass
    private let logger: Logger
    private let jitter: @Sendable () -> Double
    private let signal = WakeSignal()
    private let isStopping = Atomic(false)
    private let published = Counter(label: "outbox_published_total")
    private let failed = Counter(label: "outbox_failed_total")
    private let dead = Counter(label: "outbox_dead_total")
    private let oldest = Gauge(label: "outbox_oldest_unsent_seconds")

    package init(
        pool: PostgresPool, nats: NatsClient, configuration: Configuration = Configuration(), logger: Logger,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.jitter = jitter
        store = PostgresOutboxStore(pool: pool)
        pass = Pass(
            store: store, publisher: JetStreamPublisher(nats: nats), rowsMax: configuration.batchRowsMax,
            leaseDuration: configuration.leaseDuration, publishTimeout: configuration.publishTimeout,
            attemptsMax: configuration.attemptsMax)
    }

    /// Says that something was committed; costs nothing, however often it is called.
    package func wake() { signal.wake() }

    /// Relays until graceful shutdown; the batch at hand is finished then.
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
            let outcome = try await passOnce()
            count += outcome.published
            if outcome.leased == 0 || outcome.connectionError != nil { return count }
        }
    }

    private func relay() async {
        var idlePasses = 0
        var failures = 0
        var lastSample: ContinuousClock.Instant?
        while !Task.isCancelled, !isStopping.load(ordering: .relaxed) {
            var trouble: String?
            do {
                let outcome = try await passOnce()
                trouble = outcome.connectionError
                idlePasses = outcome.leased == 0 ? idlePasses + 1 : 0
                if lastSample.map({ .now - $0 >= Self.samplingInterval }) ?? true {
                    oldest.record((try await store.oldestAge() ?? .zero).inSeconds)
                    lastSample = .now
                }
            } catch {
                trouble = "\(error)"
            }
            failures = note(trouble, failures)
            if failures > 0 {
                await pause(configuration.outage.delay(failures: failures, jitter: jitter()))
            } else if idlePasses > 0 {
                await signal.wait(atMost: configuration.poll.delay(failures: idlePasses, jitter: jitter()))
            }
        }
    }

    /// Says when an outage begins and ends, not how often it was noticed.
    private func note(_ trouble: String?, _ failures: Int) -> Int {
        guard let trouble else {
            if failures > 0 { logger.info("The outbox is being relayed again") }
            return 0
        }
        if failures == 0, !Task.isCancelled {
            logger.warning("The outbox cannot be relayed now, trying on", metadata: ["reason": "\(trouble)"])
        }
        return failures + 1
    }

    /// Waits without listening to wake-ups: every commit would end the wait, and none makes the broker come back.
    private func pause(_ duration: Duration) async {
        // Cancellation and shutdown end it early; the loop sees both.
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
    }

    private func passOnce() async throws -> Pass.Outcome {
        let outcome = try await pass.run()
        published.increment(by: outcome.published)
        failed.increment(by: outcome.failed + outcome.dead)
        dead.increment(by: outcome.dead)
        if outcome.dead > 0 {
            logger.error(
                "The broker refuses messages for what they are; they are dead letters now",
                metadata: ["messages": "\(outcome.dead)"])
        }
        return outcome
    }
}
