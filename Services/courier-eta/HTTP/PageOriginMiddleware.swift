import HTTPTypes
import Hummingbird
import ServiceRuntime

/// Allows couriers' pages, which are of another origin, to send positions and read the answer (Fetch Standard, CORS).
struct PageOriginMiddleware: RouterMiddleware {
    /// Seconds that a browser need not ask again; the longest that Chromium keeps is 7,200.
    private static let preflightSeconds = 7_200

    /// The origin of couriers' pages, such as `https://go.nordhavn.example`; nil where no page sends positions.
    let origin: String?

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard let origin, request.headers[.origin] == origin else { return try await next(request, context) }
        var response: Response
        do {
            response = try await next(request, context)
        } catch let problem as Problem {
            // The page receives the fault of its credential.
            response = problem.response()
        }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.vary] = "Origin"
        if request.method == .options {
            response.headers[.accessControlAllowMethods] = "POST"
            response.headers[.accessControlAllowHeaders] = "authorization, content-type"
            response.headers[.accessControlMaxAge] = String(Self.preflightSeconds)
        }
        return response
    }

    /// The answer to a browser's preflight request; a page of another origin may send no requests.
    @Sendable static func preflight(_ request: Request, _ context: AppContext) -> Response {
        Response(status: .noContent)
    }
}
