package import FlowControl
package import Logging
internal import ServiceLifecycle

/// A loop over work that becomes due: does the due work, then sleeps until the next due time, or until it is woken.
///
/// A failure never ends the loop. The first of a series is logged, and the work is retried after a back-off that no
/// wake-up shortens: a wake-up does not end an outage.
package struct DueWorker: Sendable {
    private let outage: Logger.Message
    private let recovery: Logger.Message?
    private let signal: WakeSignal
    private let retry: BackOff
    private let logger: Logger
    private let jitter: @Sendable () -> Double

    /// - Parameters:
    ///   - outage: the log message when the work begins to fail, such as `Cannot send webhooks, retrying`.
    ///   - recovery: the log message when the work succeeds again; nil for none.
    ///   - signal: wakes the loop.
    ///   - retry: the back-off between attempts during a failure.
    ///   - jitter: from 0 to 1, of the back-off.
    package init(
        outage: Logger.Message, recovery: Logger.Message? = nil, signal: WakeSignal, retry: BackOff, logger: Logger,
        jitter: @escaping @Sendable () -> Double = { 0 }
    ) {
        self.outage = outage
        self.recovery = recovery
        self.signal = signal
        self.retry = retry
        self.logger = logger
        self.jitter = jitter
    }

    /// Works until it is cancelled, or `isStopping` returns true.
    ///
    /// - Parameter work: does the due work; returns the sleep until the next due time, zero for none.
    package func run(until isStopping: () -> Bool = { false }, _ work: () async throws -> Duration) async {
        var failures = 0
        while !Task.isCancelled, !isStopping() {
            do {
                let pause = try await work()
                if failures > 0, let recovery { logger.info(recovery) }
                failures = 0
                if pause > .zero { await signal.wait(atMost: pause) }
            } catch {
                if Task.isCancelled { return }
                if failures == 0 { logger.warning(outage, metadata: ["reason": "\(error)"]) }
                failures += 1
                let pause = retry.delay(failures: failures, jitter: jitter())
                // Cancellation and shutdown end it early; the loop sees both.
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
            }
        }
    }
}
