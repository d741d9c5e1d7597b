public import Foundation
public import LiveActivity
public import OrderDomain

/// The answer of `POST /v1/deliveries/{id}/view-link`: a link that only shows the delivery.
public struct ViewLinkBody: Codable, Hashable, Sendable {
    public let url: String
    /// When it stops showing anything, domain time, unless it is revoked before; nil while the delivery is live.
    public let expiresAt: Date?

    public init(url: String, expiresAt: Date?) {
        self.url = url
        self.expiresAt = expiresAt
    }
}

/// The answer of `DELETE /v1/deliveries/{id}/view-link`.
public struct RevokedViewLinksBody: Codable, Hashable, Sendable {
    /// Whether there was one to revoke.
    public let revoked: Bool

    public init(revoked: Bool) { self.revoked = revoked }
}

/// The answer of `POST /v1/couriers/{id}/link`: the link to the courier's own page, which is their credential.
public struct CourierLinkBody: Codable, Hashable, Sendable {
    public let courier: CourierID
    public let url: String

    public init(courier: CourierID, url: String) {
        self.courier = courier
        self.url = url
    }
}

/// The result of a press on a courier's page.
public struct CourierPressBody: Codable, Hashable, Sendable {
    /// The page's own id of it, a UUID in small letters.
    public let press: String
    /// `waiting` while the press can be undone, then `done`, or `refused` where the delivery had changed; `undone`.
    public let state: String

    public init(press: UUID, state: String) {
        self.press = press.uuidString.lowercased()
        self.state = state
    }
}

/// The request body of `PUT /l/{link}/alerts`: a browser's subscription, as `PushSubscription.toJSON()` returns it.
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
    /// The keys that encrypt messages; nil to end the subscription.
    public let keys: Keys?

    public init(endpoint: String, keys: Keys?) {
        self.endpoint = endpoint
        self.keys = keys
    }
}

/// The answer of `GET` and `POST /l/{link}`.
public struct LinkBody: Codable, Sendable {
    public let verb: Verb
    public let delivery: DeliveryID
    /// The link's meaning or result, in one sentence.
    public let message: String
    /// Whether a `POST` would do something now.
    public let isPressable: Bool
    /// Why not, where it would not.
    public let why: String?
    /// The courier's number, on `contact-courier` while the delivery is live.
    public let phone: String?
    public let attributes: GroceryDeliveryAttributes
    public let content: GroceryDeliveryAttributes.ContentState
    /// On `details`: each item's outcome, the reason of a failure, the next step, the refunds and the store's contact,
    /// one phrase a line.
    public let details: [Phrase]?
    /// How to reach the store; nil where the order gives no way.
    public let store: StoreContactLinks?

    public init(
        verb: Verb, delivery: DeliveryID, message: String, isPressable: Bool, why: String?, phone: String?,
        attributes: GroceryDeliveryAttributes, content: GroceryDeliveryAttributes.ContentState,
        details: [Phrase]? = nil, store: StoreContactLinks? = nil
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
        self.store = store
    }
}
