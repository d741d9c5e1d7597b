internal import DeclaredMetrics
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics

/// Logs one line and counts one request for each response; sees no errors, since the problem middleware below it makes
/// responses of them.
struct ObserveMiddleware: RouterMiddleware {
    let metrics: MetricsRegistry

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let seconds = (ContinuousClock.now - start) / .seconds(1)

        let route = routeName(context)
        let method = methodName(request.method)
        let status = String(response.status.code)
        HTTPMetrics.requests.counter([("method", method), ("route", route), ("status", status)], in: metrics)
            .increment()
        HTTPMetrics.duration.timer([("method", method), ("route", route)], in: metrics)
            .recordNanoseconds(Int64(seconds * 1e9))

        context.logger.log(
            level: isProbe(route) || response.status.code == 499 ? .debug : .info, "request",
            metadata: [
                "method": "\(method)", "route": "\(route)", "path": "\(loggedPath(request.uri.path, of: route))",
                "status": .stringConvertible(response.status.code),
                "milliseconds": .stringConvertible((seconds * 1e5).rounded() / 100),
            ])
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

/// A path as it may be logged: links and what trackers carry are secrets, and so may be what is longer than an
/// identifier and what no route has, since it may be one of those spelt in another way.
///
/// The route decides, and not the path, whose spelling is the caller's.
func loggedPath(_ path: String, of route: String) -> String {
    switch route.split(separator: "/").first {
    case "l": return "/l/…"
    case "ingest": return "/ingest/…"
    case "unmatched": return "/…"
    default: break
    }
    let segments = path.split(separator: "/", maxSplits: 16)
    return "/" + segments.map { $0.utf8.count > 64 ? "…" : String($0) }.joined(separator: "/")
}
