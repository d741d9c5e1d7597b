internal import DeclaredMetrics
internal import FlowControl
internal import Metrics
internal import Synchronization

/// Delays large bodies above their caller's share of the rate.
///
/// A delayed body is not read, so the caller's connection fills up and slows the caller down. A refusal would cost the
/// port less per request, but an impatient caller would repeat the request at once.
final class BodyPacer: Sendable {
    private let pace: Mutex<RateLimiter>
    private let waitMax: Duration
    private let start = ContinuousClock.now
    private let metrics: MetricsRegistry
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        configuration: HTTPConfiguration, metrics: MetricsRegistry,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        pace = Mutex(
            RateLimiter(
                perSecond: configuration.callerBodyBytesPerSecond, burst: Double(configuration.callerBodyBurstBytes),
                callersMax: configuration.callersMax))
        // The other half is left for the bytes to arrive.
        waitMax = configuration.bodyTimeout / 2
        self.metrics = metrics
        self.sleep = sleep
    }

    /// Waits for the turn of these bytes.
    ///
    /// - Throws: ``Problem``: 429 when the wait would be too long; `CancellationError`.
    func wait(for bytes: Int, of caller: String) async throws {
        let now = ContinuousClock.now - start
        switch pace.withLock({ $0.admit(Double(bytes), of: caller, at: now, waitMax: waitMax) }) {
        case .after(.zero): break
        case .after(let delay):
            HTTPMetrics.pacedBodyBytes.counter(in: metrics).increment(by: bytes)
            try await sleep(delay)
        case .refused(let wait):
            HTTPMetrics.refused.counter([("reason", "caller_body_rate")], in: metrics).increment()
            throw Problem.tooManyRequests(retryAfterSeconds: max(1, Int((wait / .seconds(1)).rounded(.up))))
        }
    }
}
