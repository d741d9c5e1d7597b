internal import HTTPTypes
internal import Hummingbird

/// Runs each request in a child span of its `traceparent`, or in the root span of a new trace.
struct TraceMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var random = SystemRandomNumberGenerator()
        let received = request.headers[.traceparent]
        return try await TraceContext.continuing(received, using: &random).run { try await next(request, context) }
    }
}

extension HTTPField.Name {
    static let traceparent = HTTPField.Name("traceparent")!
}
