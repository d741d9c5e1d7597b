internal import DeclaredMetrics
internal import FlowControl
internal import Hummingbird
internal import Metrics
internal import Synchronization

/// Answers 429 to a caller that sends more than its share; a caller is a token's subject, or an address without one.
final class RateMiddleware: RouterMiddleware {
    private let limiter: Mutex<RateLimiter>
    private let start = ContinuousClock.now

    private let metrics: MetricsRegistry

    init(configuration: HTTPConfiguration, metrics: MetricsRegistry) {
        self.metrics = metrics
        limiter = Mutex(
            RateLimiter(
                perSecond: configuration.callerRequestsPerSecond, burst: Double(configuration.callerBurst),
                callersMax: configuration.callersMax))
    }

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let now = ContinuousClock.now - start
        if let wait = limiter.withLock({ $0.spend(of: context.caller, at: now) }) {
            HTTPMetrics.refused.counter([("reason", "rate")], in: metrics).increment()
            throw Problem.tooManyRequests(retryAfterSeconds: max(1, Int((wait / .seconds(1)).rounded(.up))))
        }
        return try await next(request, context)
    }
}
