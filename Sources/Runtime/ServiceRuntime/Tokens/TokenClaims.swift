internal import Foundation
internal import JWTKit

/// A token's payload, RFC 7519 section 4, and what ours are scoped to.
struct TokenClaims: JWTPayload {
    var sub: String
    var role: Role
    /// Seconds since 1970, wall time.
    var exp: Int
    var iat: Int?
    var jti: String?
    var store: String?
    var delivery: String?

    // Times are checked by TokenKeys against the time it is given, since this function is given none.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
