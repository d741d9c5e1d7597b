package import Foundation

/// A person whose identity the provider has proven.
///
/// `issuer` and `subject` together identify a person; nothing else does (OpenID Connect Core 1.0, section 5.7).
package struct SignedInUser: Hashable, Sendable {
    package let issuer: String
    /// The provider's id for them, stable and unique there.
    package let subject: String
    /// The person's user name, name or e-mail address, the first that exists; nil where none does.
    ///
    /// For display only: a person can choose any name.
    package let name: String?
    package let groups: [String]

    package init(issuer: String, subject: String, name: String?, groups: [String]) {
        self.issuer = issuer
        self.subject = subject
        self.name = name
        self.groups = groups
    }
}

/// A completed sign-in: the person, and the grant with which to ask the provider about them later.
package struct ProvenSignIn: Hashable, Sendable {
    package let user: SignedInUser
    /// The grant; nil where the provider offers no later confirmation.
    package let grant: ProviderGrant?
    /// When the provider's ID token expires; wall time.
    package let expiresAt: Date
}

/// The secrets with which to ask the provider again about a person.
package struct ProviderGrant: Codable, Hashable, Sendable {
    /// The token for the UserInfo endpoint; nil where that endpoint does not name the person's groups.
    package let accessToken: String?
    /// The token for a refresh; nil where the provider issued none.
    package let refreshToken: String?

    package init(accessToken: String?, refreshToken: String?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }
}

/// The provider's answer when asked again about a person.
package struct Confirmation: Hashable, Sendable {
    /// Nil where the grant is valid but the provider returns no claims.
    package let user: SignedInUser?
    /// The replacement of the former grant, which a provider may refuse from then on.
    package let grant: ProviderGrant
}
