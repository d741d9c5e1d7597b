internal import Foundation
package import HTTPTypes
internal import Hummingbird

/// Adds the identity of a valid bearer token to the context, and answers 401 to an invalid token.
///
/// A request without a token continues without an identity: each route checks its callers with `context.require`.
/// Tracker apps that only support user and password send the token as Basic password.
struct TokenMiddleware: RouterMiddleware {
    let tokens: TokenVerifier
    let wall: @Sendable () -> Date

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            guard let token = try request.headers.token() else { return try await next(request, context) }
            let identity = try await tokens.identity(of: token, at: wall())
            context.identity = identity
            context.isTokenRevoked = { tokens.isRevoked(identity) }
        } catch let error as TokenError {
            throw Problem.unauthenticated(error)
        }
        return try await next(request, context)
    }
}

extension HTTPFields {
    /// The token of the `Authorization` header: a bearer, or the password of Basic; nil without the header.
    ///
    /// - Throws: ``TokenError/malformed`` for a header of another form.
    package func token() throws(TokenError) -> String? {
        guard let authorization = self[.authorization] else { return nil }
        let words = authorization.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { throw .malformed }
        switch words[0].lowercased() {
        case "bearer":
            return String(words[1])
        case "basic":
            guard let data = Data(base64Encoded: String(words[1])),
                let colon = data.firstIndex(of: UInt8(ascii: ":"))
            else { throw .malformed }
            return String(decoding: data[(colon + 1)...], as: UTF8.self)
        default:
            throw .malformed
        }
    }
}
