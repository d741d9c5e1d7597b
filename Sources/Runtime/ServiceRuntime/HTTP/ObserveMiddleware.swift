internal import DeclaredMetrics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics
internal import TextCoding

/// Counts every request and logs those that ``AccessLogSampler`` selects; it sees no errors, since the problem
/// middleware below it converts them into responses.
struct ObserveMiddleware: RouterMiddleware {
    /// A slower request is logged whatever its status.
    private static let slow = Duration.seconds(1)

    private struct Key: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    private struct Series {
        let requests: Counter
        let duration: Metrics.Timer
    }

    private let series: MetricHandles<Key, Series>
    private let sampler: AccessLogSampler
    private let start = ContinuousClock.now

    /// - Parameter loggedPerSecond: successful requests that are logged in a second.
    init(metrics: MetricsRegistry, loggedPerSecond: Int) {
        sampler = AccessLogSampler(perSecond: loggedPerSecond)
        series = MetricHandles { key in
            let labels = [("method", key.method), ("route", key.route)]
            return Series(
                requests: HTTPMetrics.requests.counter(labels + [("status", String(key.status))], in: metrics),
                duration: HTTPMetrics.duration.timer(labels, in: metrics))
        }
    }

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let began = ContinuousClock.now
        let response = try await next(request, context)
        let ended = ContinuousClock.now

        let route = routeName(context)
        let method = methodName(request.method)
        let status = response.status.code
        let (seconds, attoseconds) = (ended - began).components
        let one = series[Key(method: method, route: route, status: status)]
        one.requests.increment()
        one.duration.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)

        let level: Logger.Level = isProbe(route) || status == 499 ? .debug : .info
        guard context.logger.logLevel <= level else { return response }
        let isExpected = status < 400 && ended - began < Self.slow && context.logger.logLevel > .debug
        guard let skipped = sampler.line(at: ended - start, isExpected: isExpected) else { return response }
        var metadata: Logger.Metadata = [
            "method": "\(method)", "route": "\(route)", "path": "\(loggedPath(request.uri.path, of: route))",
            "status": .stringConvertible(status),
            "milliseconds": .stringConvertible((((ended - began) / .seconds(1)) * 1e5).rounded() / 100),
        ]
        if skipped > 0 { metadata["skipped"] = .stringConvertible(skipped) }
        context.logger.log(level: level, "request", metadata: metadata)
        return response
    }
}

/// A method that is in use; `other` for whatever else a caller may write there.
func methodName(_ method: HTTPRequest.Method) -> String {
    let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
    return known.contains(method) ? method.rawValue : "other"
}

/// The pattern that a request matched, never its raw path; `unmatched` when there is none.
func routeName(_ context: AppContext) -> String {
    guard let route = context.endpointPath, route != "NotFound" else { return "unmatched" }
    return route
}

/// A path as it may be logged: links and trackers' tokens are secrets, and so is where a map is; an erased customer's id
/// must not stay in logs.
///
/// Paths without a route may contain misspelt ones, and a malformed id may be one. The route decides, and not the path, whose spelling the caller controls.
func loggedPath(_ path: String, of route: String) -> String {
    let pattern = route.split(separator: "/")
    switch pattern.first {
    case "l": return "/l/…"
    case "open": return "/open/…"
    case "c": return "/c/…"
    case "ingest": return "/ingest/…"
    // An image's numbers are a place on the earth, which a customer's map shows.
    case "assets" where pattern.count > 2: return "/assets/\(pattern[1])/…"
    case "unmatched": return "/…"
    default: break
    }
    let segments = path.split(separator: "/", maxSplits: 16)
    return "/"
        + segments.enumerated().map { place, segment in
            let part = place < pattern.count ? pattern[place] : ""
            return part == segment || part != "{customer}" && isLoggedID(segment) ? String(segment) : "…"
        }.joined(separator: "/")
}

/// Whether a text has the form of an id rather than a secret: credentials are longer than names, and none contains a
/// UUID.
private func isLoggedID(_ text: Substring) -> Bool {
    // The id of a customer's summary contains the customer's.
    guard text.utf8.allSatisfy(\.isURLSafe), text.utf8.count <= 64, !text.hasPrefix("summary-") else { return false }
    return text.utf8.count <= 24 || UUID(uuidString: String(text.prefix(36))) != nil
        || UUID(uuidString: String(text.suffix(36))) != nil
}
