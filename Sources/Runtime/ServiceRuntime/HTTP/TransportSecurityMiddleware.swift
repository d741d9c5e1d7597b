internal import HTTPTypes
internal import Hummingbird

/// Restricts browsers to TLS for this host, for a year from each answer (RFC 6797).
///
/// Only for a service whose public address is https: such a browser refuses the host without TLS.
struct TransportSecurityMiddleware: RouterMiddleware {
    static let policy = "max-age=31536000"

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.strictTransportSecurity] = Self.policy
        return response
    }
}
