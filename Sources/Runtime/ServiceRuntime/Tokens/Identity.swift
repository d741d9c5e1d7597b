package import DoorstepAPI
package import Foundation

/// A caller's role, which decides its permissions.
package enum Role: String, Codable, CaseIterable, Sendable {
    case customer
    case `operator`
    case courier
    /// A shop's backend.
    case store
}

/// The caller of a request, from its token.
package struct Identity: Hashable, Sendable {
    /// The `sub` claim: a customer, operator, courier or store by its identifier.
    package let subject: String
    package let role: Role
    /// The only store of the token's scope, if any.
    package let store: String?
    /// The only delivery of the token's scope, if any.
    package let delivery: String?
    /// The `scope` claim: what an operator may do; nil where the token has none.
    package let scope: String?
    /// The `name` claim of an operator's token, for display only; nil where it could be mistaken for another's.
    package let displayName: DisplayName?
    /// The `jti` claim.
    package let tokenID: String?
    /// The key that signed the token; nil where none was verified.
    package var keyID: String?
    /// The `iat` claim, wall time; nil where the token has none.
    package let issuedAt: Date?
    /// Wall time.
    package let expiresAt: Date

    package init(
        subject: String, role: Role, store: String? = nil, delivery: String? = nil, scope: String? = nil,
        displayName: DisplayName? = nil, tokenID: String? = nil, issuedAt: Date? = nil, expiresAt: Date
    ) {
        self.subject = subject
        self.role = role
        self.store = store
        self.delivery = delivery
        self.scope = scope
        self.displayName = displayName
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// The permanent record of the actor: `ada`, or `Ada Lovelace (oidc:login.example.com#u1)`.
    package var recordedName: String { displayName?.recorded(with: subject) ?? subject }
}
