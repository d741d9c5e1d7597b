/// A program's registration with an identity provider.
package struct OpenIDConfiguration: Sendable {
    /// The provider's issuer, as in its tokens, such as `https://login.example.com`.
    package let issuer: String
    package let clientID: String
    package let clientSecret: String
    /// The redirect URI registered with the provider.
    package let redirectURI: String
    /// The claim that names a person's groups.
    package let groupsClaim: String
    package let scopes: [String]

    package init(
        issuer: String, clientID: String, clientSecret: String, redirectURI: String, groupsClaim: String = "groups",
        scopes: [String] = ["openid", "profile", "email", "groups"]
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURI = redirectURI
        self.groupsClaim = groupsClaim
        self.scopes = scopes
    }
}

/// Why a sign-in failed; no case contains a code or a token.
package enum OpenIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The provider does not answer, or its answer is malformed.
    case unavailable(String)
    /// The provider answered with an error of OAuth 2.0, such as `invalid_grant`.
    case refused(code: String, description: String)
    /// The provider's answer cannot be trusted.
    case untrusted(String)

    package var description: String {
        switch self {
        case .unavailable(let reason): "The identity provider cannot be used just now: \(reason)"
        case .refused(let code, let text): "The identity provider refused it: \(code)\(text.isEmpty ? "" : ", \(text)")"
        case .untrusted(let reason): "What the identity provider answered is not trusted: \(reason)"
        }
    }
}
