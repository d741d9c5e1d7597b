internal import HTTPTypes
internal import Hummingbird

/// Refuses a body by its announced length before any of it is read; `Request.decode` bounds those without one.
struct BodySizeMiddleware: RouterMiddleware {
    let bodyBytesMax: Int

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        if let text = request.headers[.contentLength], let bytes = Int(text), bytes > bodyBytesMax {
            throw Problem.tooLarge(bytesMax: bodyBytesMax)
        }
        return try await next(request, context)
    }
}
