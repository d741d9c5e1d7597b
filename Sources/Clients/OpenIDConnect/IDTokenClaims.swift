internal import Foundation
internal import JWTKit

/// The payload of an ID token (OpenID Connect Core 1.0, section 2).
struct IDTokenClaims: JWTPayload {
    let issuer: String
    /// The claims about the token's subject.
    let person: PersonClaims
    let audience: [String]
    let authorizedParty: String?
    /// Seconds since 1970; some providers write fractions.
    let expiresAt: Double
    let issuedAt: Double
    let nonce: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ClaimName.self)
        person = try PersonClaims(from: decoder)
        issuer = try container.decode(String.self, forKey: "iss")
        audience = person.lists["aud"] ?? []
        authorizedParty = try container.decodeIfPresent(String.self, forKey: "azp")
        expiresAt = try container.decode(Double.self, forKey: "exp")
        issuedAt = try container.decode(Double.self, forKey: "iat")
        nonce = try container.decodeIfPresent(String.self, forKey: "nonce")
    }

    func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "ID tokens are read alone"))
    }

    // `check` checks the times, against its `now`.
    func verify(using algorithm: some JWTAlgorithm) async throws {}

    /// Seconds by which the provider's clock may differ from this machine's.
    static let skewSeconds = 60.0

    /// Checks the claims that a signature does not: issuer, audience, nonce and expiry (Core, section 3.1.3.7).
    ///
    /// The audience may be empty where the provider knows none for its client: the token came from the provider's own
    /// token endpoint, in exchange for the client secret, and carries the sign-in's nonce.
    /// - Parameter nonce: of the sign-in; nil for a refreshed token, which need not have one (Core, section 12.2).
    /// - Throws: ``OpenIDError/untrusted(_:)``.
    func check(_ configuration: OpenIDConfiguration, nonce: String?, now: Date) throws(OpenIDError) {
        let seconds = now.timeIntervalSince1970
        guard issuer == configuration.issuer else { throw .untrusted("its token is of another issuer, \(issuer)") }
        guard audience.isEmpty || audience.contains(configuration.clientID) else {
            throw .untrusted("its token is for another program")
        }
        guard audience.count <= 1 || authorizedParty == configuration.clientID else {
            throw .untrusted("its token is for several programs, and was not issued to this one")
        }
        if let authorizedParty, authorizedParty != configuration.clientID {
            throw .untrusted("its token was issued to another program")
        }
        guard nonce == nil || self.nonce == nonce else { throw .untrusted("its token belongs to another sign-in") }
        guard expiresAt + Self.skewSeconds > seconds else { throw .untrusted("its token has expired") }
        guard issuedAt - Self.skewSeconds <= seconds else {
            throw .untrusted("its token is from the future: synchronise the machines' clocks")
        }
        guard person.isSomebody else { throw .untrusted("its token names nobody") }
    }
}
