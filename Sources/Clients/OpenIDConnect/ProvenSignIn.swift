package import Foundation

/// Somebody whom the provider has proven to be that.
///
/// `issuer` and `subject` together identify a person; nothing else does (OpenID Connect Core 1.0, section 5.7).
package struct SignedInUser: Hashable, Sendable {
    package let issuer: String
    /// The provider's id for them, stable and unique there.
    package let subject: String
    /// What they call themselves: their user name, name or e-mail address, in this order; nil where they have none.
    ///
    /// Anybody may choose any name, so that it is for show alone.
    package let name: String?
    package let groups: [String]

    package init(issuer: String, subject: String, name: String?, groups: [String]) {
        self.issuer = issuer
        self.subject = subject
        self.name = name
        self.groups = groups
    }
}

/// Somebody who came back from the provider, and by what the provider can be asked about them later.
package struct ProvenSignIn: Hashable, Sendable {
    package let user: SignedInUser
    /// Nil where the provider gives no way to ask again.
    package let grant: ProviderGrant?
    /// When the provider's ID token expires; wall time.
    package let expiresAt: Date

    package init(user: SignedInUser, grant: ProviderGrant?, expiresAt: Date) {
        self.user = user
        self.grant = grant
        self.expiresAt = expiresAt
    }
}

/// The secrets by which the provider says again who somebody is.
package struct ProviderGrant: Codable, Hashable, Sendable {
    /// For the UserInfo endpoint; nil where that does not name the person's groups.
    package let accessToken: String?
    /// For a new access token or ID token; nil where the provider gave none.
    package let refreshToken: String?

    package init(accessToken: String?, refreshToken: String?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }
}

/// What the provider says of somebody when it is asked again.
package struct Confirmation: Hashable, Sendable {
    /// Nil where the grant is good, and the provider does not say who they are now.
    package let user: SignedInUser?
    /// In place of the former one: a provider may refuse that from then on.
    package let grant: ProviderGrant
}
