internal import Hummingbird

/// Refuses a body by its announced length before any of it is read; `Request.decode` bounds those without one.
struct BodySizeMiddleware: RouterMiddleware {
    let bodyBytesMax: Int

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        try request.checkLength(bytesMax: bodyBytesMax)
        return try await next(request, context)
    }
}
