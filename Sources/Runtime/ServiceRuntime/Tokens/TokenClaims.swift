internal import JWTKit

/// A token's payload, RFC 7519 section 4, with Doorstep's scope claims.
struct TokenClaims: JWTPayload {
    var sub: String
    var role: Role
    /// Seconds since 1970, wall time, as are the other two; RFC 7519 lets each have a fraction.
    var exp: Double
    var iat: Double?
    var nbf: Double?
    var aud: Audience?
    var jti: String?
    var store: String?
    var delivery: String?
    var scope: String?
    /// The display name in operators' tokens.
    var name: String?

    /// The latest time with which others are computed: 30 million years, beyond any that an issuer means by "for ever".
    private static let timeMax = 1e15

    /// Whether other times can be computed with its own.
    var hasTimes: Bool { [exp, iat ?? 0].allSatisfy { $0.magnitude <= Self.timeMax } }

    /// The `aud` claim of Doorstep's services.
    static let ourAudience = "doorstep"

    /// One name or a list of them, RFC 7519 section 4.1.3.
    struct Audience: Codable, Sendable {
        let names: [String]

        init(_ names: [String]) { self.names = names }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            // An audience that is no text is decoded as a list below, and that error is thrown.
            if let name = try? container.decode(String.self) {
                names = [name]
            } else {
                names = try container.decode([String].self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(names)
        }
    }

    // TokenKeys checks the times, against the current time, which this function lacks.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
