internal import DeclaredMetrics
internal import FlowControl
internal import HTTPTypes
internal import Hummingbird
internal import Metrics
internal import Synchronization

/// Answers 429 instead of 401 to an address that sends bad tokens in series.
///
/// Valid tokens of the same address are still served: many callers may share one. An expired token is neither counted
/// nor answered with 429: its bearer learns from the 401 to fetch another.
final class BadTokenMiddleware: RouterMiddleware {
    /// Bad tokens of an address per second, and in a burst: more than an app with an expired token sends.
    static let perSecond = 5.0
    static let burst = 200

    private let limiter: Mutex<RateLimiter>
    private let start = ContinuousClock.now
    private let metrics: MetricsRegistry

    init(configuration: HTTPConfiguration, metrics: MetricsRegistry) {
        limiter = Mutex(
            RateLimiter(perSecond: Self.perSecond, burst: Double(Self.burst), callersMax: configuration.callersMax))
        self.metrics = metrics
    }

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as Problem where problem.isBadToken {
            let now = ContinuousClock.now - start
            guard let wait = limiter.withLock({ $0.spend(of: context.remoteNetwork, at: now) }) else {
                throw problem
            }
            HTTPMetrics.refused.counter([("reason", "bad_tokens")], in: metrics).increment()
            throw Problem.tooManyRequests(retryAfterSeconds: max(1, Int((wait / .seconds(1)).rounded(.up))))
        }
    }
}

extension Problem {
    /// Whether a token was sent and is not good, by the challenge of RFC 6750 section 3.1.
    fileprivate var isBadToken: Bool {
        guard status == .unauthorized, let challenge = headers[.wwwAuthenticate] else { return false }
        return challenge.contains("invalid_token")
            && challenge != Problem.unauthenticated(.expired).headers[.wwwAuthenticate]
    }
}
