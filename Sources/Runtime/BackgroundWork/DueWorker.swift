package import FlowControl
package import Logging
internal import ServiceLifecycle

/// A loop over work that becomes due: does what is due, then sleeps until the next is, or until it is woken.
///
/// A failure never ends it. The first in a row is logged, and the work is tried again after a back-off that no wake-up
/// ends: what wakes the loop ends no outage.
package struct DueWorker: Sendable {
    private let outage: Logger.Message
    private let recovery: Logger.Message?
    private let signal: WakeSignal
    private let retry: BackOff
    private let logger: Logger
    private let jitter: @Sendable () -> Double

    /// - Parameters:
    ///   - outage: what a log reads when the work begins to fail, such as `Cannot send webhooks, retrying`.
    ///   - recovery: what a log reads when it succeeds again; nil for nothing.
    ///   - signal: wakes the loop.
    ///   - retry: between attempts while it fails.
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
    /// - Parameter work: does what is due; returns how long to sleep unless it is woken, zero for not at all.
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
