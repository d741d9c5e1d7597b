internal import Foundation
internal import JWTKit

/// The payload of an ID token (OpenID Connect Core 1.0, section 2).
struct IDTokenClaims: JWTPayload {
    let issuer: String
    let subject: String
    let audience: [String]
    let authorizedParty: String?
    /// Seconds since 1970; some providers write fractions.
    let expiresAt: Double
    let issuedAt: Double
    let nonce: String?
    let userName: String?
    let name: String?
    let email: String?
    /// Every other claim that is a text or a list of texts, by name.
    let lists: [String: [String]]

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ name: String) throws -> String? {
            try container.decodeIfPresent(String.self, forKey: Key(stringValue: name))
        }
        func list(_ name: String) -> [String]? {
            let key = Key(stringValue: name)
            if let one = try? container.decode(String.self, forKey: key) { return [one] }
            return try? container.decode([String].self, forKey: key)
        }
        issuer = try container.decode(String.self, forKey: Key(stringValue: "iss"))
        subject = try container.decode(String.self, forKey: Key(stringValue: "sub"))
        audience = list("aud") ?? []
        authorizedParty = try text("azp")
        expiresAt = try container.decode(Double.self, forKey: Key(stringValue: "exp"))
        issuedAt = try container.decode(Double.self, forKey: Key(stringValue: "iat"))
        nonce = try text("nonce")
        userName = try? text("preferred_username")
        name = try? text("name")
        email = try? text("email")
        lists = Dictionary(
            container.allKeys.compactMap { key in list(key.stringValue).map { (key.stringValue, $0) } },
            uniquingKeysWith: { $1 })
    }

    func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "ID tokens are read alone"))
    }

    // Times are checked by `check`, against the time that it is given.
    func verify(using algorithm: some JWTAlgorithm) async throws {}

    /// Seconds that a provider's clock may differ from ours.
    static let skewSeconds = 60.0

    /// Checks what a signature does not: whose it is, for whom, for which sign-in and until when (Core, section 3.1.3.7).
    ///
    /// An audience may be empty where the provider was told of none for its client: the token came from the provider's own
    /// token endpoint, in exchange for our secret, and has our nonce in it.
    /// - Throws: ``OpenIDError/untrusted(_:)``.
    func check(_ configuration: OpenIDConfiguration, nonce: String, now: Date) throws(OpenIDError) {
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
        guard self.nonce == nonce else { throw .untrusted("its token belongs to another sign-in") }
        guard expiresAt + Self.skewSeconds > seconds else { throw .untrusted("its token has expired") }
        guard issuedAt - Self.skewSeconds <= seconds else {
            throw .untrusted("its token is from the future: synchronise the machines' clocks")
        }
        guard !subject.isEmpty, subject.count <= 255 else { throw .untrusted("its token names nobody") }
    }

    func user(groupsIn claim: String) -> SignedInUser {
        let names = [userName, name, email, subject].compactMap(\.self)
        return SignedInUser(
            subject: subject, name: names.first { !$0.isEmpty } ?? subject, groups: lists[claim] ?? [])
    }
}
