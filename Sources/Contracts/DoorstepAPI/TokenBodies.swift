public import Foundation
public import OrderDomain

/// What a shop backend sends to `POST /v1/tokens` with its own token.
public struct IssueTokenBody: Codable, Sendable {
    public var customer: CustomerID
    /// An hour unless it says otherwise; at most a day.
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

/// What `POST /v1/admin/republish` answers.
public struct RepublishBody: Codable, Sendable {
    /// Messages put into the outbox.
    public let republished: Int

    public init(republished: Int) { self.republished = republished }
}
