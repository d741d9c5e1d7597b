package import CoreMetrics
internal import DeclaredMetrics
package import DomainTime
internal import FlowControl
internal import Foundation
package import Logging
internal import ServiceLifecycle

/// Repeats an operation until graceful shutdown: at once, and then an interval after each end.
///
/// A failure never ends it. The first in a row is logged with the task's name, and the operation is tried again after a
/// back-off between one second and the interval; a gauge has the number of failures in a row. Cancellation and graceful
/// shutdown end a wait at once, and cancel an operation that runs.
package struct PeriodicTask: Service {
    private static let failuresInARow = DeclaredMetric(
        "doorstep_periodic_task_failures",
        help: "Failed runs of a periodic task since its last successful one, by task; each replica has its own.")

    private let name: String
    private let interval: Duration
    private let retry: BackOff
    private let logger: Logger
    private let metrics: any MetricsFactory
    private let sleep: @Sendable (Duration) async throws -> Void
    private let operation: @Sendable () async throws -> Void

    /// A task on the wall clock, or on a clock controlled by a test.
    ///
    /// - Parameters:
    ///   - name: the task's name in logs, such as `retention`.
    ///   - interval: from the end of one run to the beginning of the next.
    ///   - operation: one run; it is cancelled at shutdown, so an open transaction is rolled back.
    package init(
        _ name: String, every interval: Duration, on clock: any Clock<Duration> = .continuous, logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory, operation: @escaping @Sendable () async throws -> Void
    ) {
        self.init(name, interval, logger, metrics, sleep: { try await clock.sleep(for: $0) }, operation)
    }

    /// A task whose interval passes in domain time.
    package init(
        _ name: String, every interval: Duration, on clock: DomainClock, logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory, operation: @escaping @Sendable () async throws -> Void
    ) {
        self.init(
            name, interval, logger, metrics,
            sleep: { try await clock.sleep(until: clock.now.addingTimeInterval($0 / .seconds(1))) }, operation)
    }

    private init(
        _ name: String, _ interval: Duration, _ logger: Logger, _ metrics: any MetricsFactory,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        _ operation: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.interval = interval
        // A rare task is retried soon; a frequent one less often while it fails.
        retry = BackOff(first: min(interval, .seconds(1)), longest: max(interval, .seconds(1)))
        self.logger = logger
        self.metrics = metrics
        self.sleep = sleep
        self.operation = operation
    }

    /// Repeats the operation until graceful shutdown or cancellation.
    /// - Throws: never; a failed run is logged and repeated.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await repeatUntilCancelled() }
    }

    private func repeatUntilCancelled() async {
        var failures = 0
        let gauge = Self.failuresInARow.gauge([("task", name)], in: metrics)
        while !Task.isCancelled {
            do {
                try await operation()
                if failures > 0 { logger.info("A periodic task succeeds again", metadata: ["task": "\(name)"]) }
                failures = 0
            } catch {
                // A failure by cancellation is not a failure of the task.
                if Task.isCancelled { return }
                failures += 1
                if failures == 1 {
                    logger.warning(
                        "A periodic task failed and will be retried",
                        metadata: ["task": "\(name)", "reason": "\(error)"])
                }
            }
            gauge.record(failures)
            // Cancellation ends the loop.
            try? await sleep(failures == 0 ? interval : retry.delay(failures: failures))
        }
    }
}
