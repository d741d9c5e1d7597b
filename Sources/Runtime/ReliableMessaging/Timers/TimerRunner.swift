internal import BackgroundWork
internal import DeclaredMetrics
package import DomainTime
package import FlowControl
internal import Foundation
package import Logging
internal import Metrics
package import PostgresClient
internal import ServiceLifecycle
internal import Synchronization

/// Fires durable timers when they are due by domain time.
///
/// A handler runs in one transaction with the deletion of its timer, so its writes happen once. Any number of replicas
/// share the work. A handler's effects outside of its transaction may happen more than once.
///
/// Metrics: see ``MessagingMetrics``.
package final class TimerRunner: Service {
    /// A timer's work.
    ///
    /// It may enqueue messages, and schedule or cancel timers, its own included.
    package typealias Handler = @Sendable (DurableTimer, PostgresTransaction) async throws -> Void

    package struct Configuration: Sendable {
        /// Handlers that run at the same time; each holds a connection of the pool.
        package var timersInFlightMax = 4
        /// The time for which no other replica leases a leased timer.
        package var leaseDuration = Duration.seconds(30)
        /// The longest wait of a handler for a lock, after which it aborts and is retried.
        package var lockTimeout = Duration.milliseconds(250)
        /// Failures of the handler's own after which its timer is a dead letter.
        package var attemptsMax = 10
        /// The longest sleep, for timers without a wake-up.
        package var pollInterval = Duration.seconds(1)
        package var retry = BackOff(first: .milliseconds(250), longest: .seconds(30))

        package init() {}
    }

    private static let shortestPause = Duration.milliseconds(10)

    private let configuration: Configuration
    private let store: TimerStore
    private let pool: PostgresPool
    private let clock: DomainClock
    private let handlers: [String: Handler]
    private let kinds: [String]
    private let afterCommit: @Sendable () -> Void
    private let logger: Logger
    private let jitter: @Sendable () -> Double
    private let signal = WakeSignal()
    private let isStopping = Atomic(false)
    private let fired = MetricHandles<String, Counter> { MessagingMetrics.timersFired.counter([("kind", $0)]) }

    /// A runner for the kinds with a handler; it ignores timers of other kinds.
    ///
    /// - Parameter afterCommit: called after every handler's commit, to wake the relay.
    package init(
        pool: PostgresPool, clock: DomainClock, handlers: [String: Handler],
        configuration: Configuration = Configuration(),
        logger: Logger, afterCommit: @escaping @Sendable () -> Void = {},
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.configuration = configuration
        self.pool = pool
        self.clock = clock
        self.handlers = handlers
        self.afterCommit = afterCommit
        self.logger = logger
        self.jitter = jitter
        kinds = handlers.keys.sorted()
        store = TimerStore(pool: pool)
    }

    /// Signals that timers were scheduled or the clock was moved; costs nothing, however often it is called.
    package func wake() { signal.wake() }

    /// Fires timers until graceful shutdown; running handlers are finished then.
    ///
    /// Never fails because of an outage.
    /// - Throws: never; failures are logged and retried.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await fireForever()
        } onGracefulShutdown: {
            self.isStopping.store(true, ordering: .relaxed)
            self.signal.wake()
        }
    }

    /// Fires the due timers that are not backing off.
    ///
    /// - Returns: the number of committed handlers.
    /// - Throws: ``PostgresError`` where no timers can be leased.
    @discardableResult
    package func fireDue() async throws -> Int {
        var count = 0
        while !isStopping.load(ordering: .relaxed) {
            let leased = try await store.lease(
                UUID(), kinds: kinds, dueBy: clock.now, timersMax: configuration.timersInFlightMax,
                for: configuration.leaseDuration)
            guard !leased.isEmpty else { break }
            // A failed timer does not interrupt the others.
            let results = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
                for timer in leased {
                    group.addTask {
                        do { return .success(try await self.fire(timer)) } catch { return .failure(error) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for result in results where try result.get() { count += 1 }
        }
        return count
    }

    private func fireForever() async {
        let worker = DueWorker(
            outage: "Timers cannot be fired, retrying", signal: signal, retry: configuration.retry, logger: logger,
            jitter: jitter)
        await worker.run(until: { isStopping.load(ordering: .relaxed) }) {
            try await fireDue()
            guard let next = try await store.nextDue(kinds: kinds) else { return configuration.pollInterval }
            // A due timer may be leased by another replica: poll again, but do not spin.
            return min(configuration.pollInterval, max(clock.wallDuration(until: next), Self.shortestPause))
        }
    }

    /// - Returns: whether the handler's transaction was committed.
    /// - Throws: cancellation, or the failure to settle it.
    private func fire(_ leased: LeasedTimer) async throws -> Bool {
        let timer = leased.timer
        guard let handler = handlers[timer.kind] else { return false }
        do {
            let isFired = try await pool.withTransaction { transaction in
                guard try await store.complete(leased, lockTimeout: configuration.lockTimeout, in: transaction) else {
                    return false
                }
                try await handler(timer, transaction)
                return true
            }
            if isFired {
                fired[timer.kind].increment()
                afterCommit()
            }
            return isFired
        } catch {
            try await settle(leased, after: error)
            return false
        }
    }

    private func settle(_ leased: LeasedTimer, after error: any Error) async throws {
        let failures = leased.attempts + 1
        let delay = configuration.retry.delay(failures: failures, jitter: jitter())
        switch FailureKind(error) {
        case .interrupted: throw CancellationError()
        case .dependency: try await store.release(leased, after: delay, error: "\(error)", countsAttempt: false)
        case .ours where failures < configuration.attemptsMax:
            count(MessagingMetrics.timersFailed, leased.timer)
            log(.warning, "A timer's handler failed, it will be retried", leased, error)
            try await store.release(leased, after: delay, error: "\(error)", countsAttempt: true)
        case .ours, .badMessage:
            try await store.deadLetter(leased, error: "\(error)")
            count(MessagingMetrics.timersDeadLettered, leased.timer)
            log(.error, "A timer's handler failed for the last time; the timer is a dead letter now", leased, error)
        }
    }

    private func count(_ metric: DeclaredMetric, _ timer: DurableTimer) {
        metric.counter([("kind", timer.kind)]).increment()
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ leased: LeasedTimer, _ error: any Error) {
        let metadata: Logger.Metadata = [
            "timer_kind": "\(leased.timer.kind)", "timer_key": "\(leased.timer.key)",
            "attempts": "\(leased.attempts + 1)", "reason": "\(error)",
        ]
        logger.log(level: level, message, metadata: metadata)
    }
}
