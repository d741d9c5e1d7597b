public import Foundation
public import LiveActivity
public import OrderDomain

/// What `POST /v1/deliveries/{id}/view-link` answers: a link that only shows the delivery.
public struct ViewLinkBody: Codable, Hashable, Sendable {
    public let url: String
    /// When it stops showing anything, domain time, unless it is revoked before; nil while the delivery is live.
    public let expiresAt: Date?

    public init(url: String, expiresAt: Date?) {
        self.url = url
        self.expiresAt = expiresAt
    }
}

/// What `DELETE /v1/deliveries/{id}/view-link` answers.
public struct RevokedViewLinksBody: Codable, Hashable, Sendable {
    /// Whether there was one to revoke.
    public let revoked: Bool

    public init(revoked: Bool) { self.revoked = revoked }
}

/// What `POST /v1/couriers/{id}/link` answers: the link to the courier's own page, which is their credential.
public struct CourierLinkBody: Codable, Hashable, Sendable {
    public let courier: CourierID
    public let url: String

    public init(courier: CourierID, url: String) {
        self.courier = courier
        self.url = url
    }
}

/// What became of a press on a courier's page.
public struct CourierPressBody: Codable, Hashable, Sendable {
    /// The page's own id of it, a UUID in small letters.
    public let press: String
    /// `waiting` while it can be undone, then `done`, or `refused` where the delivery had gone on; `undone`.
    public let state: String

    public init(press: UUID, state: String) {
        self.press = press.uuidString.lowercased()
        self.state = state
    }
}

/// What `PUT /l/{link}/alerts` takes: where a browser is to be notified, as `PushSubscription.toJSON()` gives it.
public struct AlertSubscriptionBody: Codable, Hashable, Sendable {
    public struct Keys: Codable, Hashable, Sendable {
        public let p256dh: String
        public let auth: String

        public init(p256dh: String, auth: String) {
            self.p256dh = p256dh
            self.auth = auth
        }
    }

    /// An `https://` URL of a push service.
    public let endpoint: String
    /// What messages are encrypted with; nil to be notified no more.
    public let keys: Keys?

    public init(endpoint: String, keys: Keys?) {
        self.endpoint = endpoint
        self.keys = keys
    }
}

/// What `GET` and `POST /l/{link}` answer.
public struct LinkBody: Codable, Sendable {
    public let verb: Verb
    public let delivery: DeliveryID
    /// What the link stands for, or what it did, in one sentence.
    public let message: String
    /// Whether a `POST` would do something now.
    public let isPressable: Bool
    /// Why not, where it would not.
    public let why: String?
    /// The courier's number, on `contact-courier` while the delivery is live.
    public let phone: String?
    public let attributes: GroceryDeliveryAttributes
    public let content: GroceryDeliveryAttributes.ContentState
    /// On `details`: what became of each item, why the delivery went wrong, what comes next and what is refunded, a
    /// phrase a line.
    public let details: [Phrase]?

    public init(
        verb: Verb, delivery: DeliveryID, message: String, isPressable: Bool, why: String?, phone: String?,
        attributes: GroceryDeliveryAttributes, content: GroceryDeliveryAttributes.ContentState,
        details: [Phrase]? = nil
    ) {
        self.verb = verb
        self.delivery = delivery
        self.message = message
        self.isPressable = isPressable
        self.why = why
        self.phone = phone
        self.attributes = attributes
        self.content = content
        self.details = details
    }
}
