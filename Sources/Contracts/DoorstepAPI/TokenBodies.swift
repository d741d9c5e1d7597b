public import Foundation
public import OrderDomain

/// The request body of `POST /v1/tokens`, sent with the shop's own token.
public struct IssueTokenBody: Codable, Sendable {
    public var customer: CustomerID
    /// 3,600 by default; at most 86,400.
    public var lifetimeSeconds: Int?

    public init(customer: CustomerID, lifetimeSeconds: Int? = nil) {
        self.customer = customer
        self.lifetimeSeconds = lifetimeSeconds
    }
}

/// A customer's token.
public struct TokenBody: Codable, Sendable {
    public let token: String
    /// Wall time.
    public let expiresAt: Date

    public init(token: String, expiresAt: Date) {
        self.token = token
        self.expiresAt = expiresAt
    }
}

/// The answer of `POST /v1/admin/republish`.
public struct RepublishBody: Codable, Sendable {
    /// Messages put into the outbox.
    public let republished: Int

    public init(republished: Int) { self.republished = republished }
}
