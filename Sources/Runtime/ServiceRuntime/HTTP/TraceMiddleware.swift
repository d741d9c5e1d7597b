internal import HTTPTypes
internal import Hummingbird
internal import Tracing

/// Runs each request in a server span: a child of its `traceparent`, or the root of a new trace.
///
/// The span ends with the response's head, as the request's duration does. Probes and scrapes are not recorded.
struct TraceMiddleware: RouterMiddleware {
    let tracer: SpanTracer

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var parent = ServiceContext.topLevel
        parent.trace = request.headers[.traceparent].flatMap(TraceContext.init(traceparent:))
        let tracer = isProbe(request.uri.path) ? SpanTracer() : tracer
        return try await tracer.withSpan(methodName(request.method), context: parent, ofKind: .server) { span in
            let response = try await next(request, context)
            if span.isRecording { describe(span, request, response, route: routeName(context)) }
            return response
        }
    }

    /// - Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server
    private func describe(_ span: TraceSpan, _ request: Request, _ response: Response, route: String) {
        let method = methodName(request.method)
        span.operationName = "\(method) \(route)"
        span.updateAttributes { attributes in
            attributes["http.request.method"] = method
            attributes["http.response.status_code"] = Int(response.status.code)
            attributes["http.route"] = route
            attributes["url.path"] = loggedPath(request.uri.path, of: route)
            attributes["url.scheme"] = "http"
        }
        if response.status.kind == .serverError {
            span.attributes["error.type"] = String(response.status.code)
            span.setStatus(SpanStatus(code: .error))
        }
    }
}

/// Whether monitoring polls the path.
func isProbe(_ path: String) -> Bool { path.hasPrefix("/health/") || path == "/metrics" }

extension HTTPField.Name {
    static let traceparent = HTTPField.Name(TraceContext.header)!
}
