internal import DeclaredMetrics
internal import Hummingbird
internal import Metrics
internal import Synchronization

/// Refuses what exceeds `inFlightRequestsMax`, so that those inside are answered in time.
///
/// A request counts until its answer begins; a stream that is being written no longer does.
final class LoadMiddleware: RouterMiddleware {
    private let inFlight = Mutex(0)
    private let inFlightRequestsMax: Int
    private let gauge: Gauge

    init(inFlightRequestsMax: Int, metrics: MetricsRegistry) {
        self.inFlightRequestsMax = inFlightRequestsMax
        gauge = HTTPMetrics.inFlight.gauge(in: metrics)
    }

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let isAdmitted = inFlight.withLock { count in
            guard count < inFlightRequestsMax else { return false }
            count += 1
            gauge.record(count)
            return true
        }
        guard isAdmitted else { throw Problem.unavailable("too many requests at once", retryAfterSeconds: 1) }
        defer {
            inFlight.withLock { count in
                count -= 1
                gauge.record(count)
            }
        }
        return try await next(request, context)
    }
}
