internal import HTTPTypes
internal import Hummingbird

/// Makes each request the next part of the story its `traceparent` names, or the first of a new one.
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
