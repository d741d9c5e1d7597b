public import OrderDomain

/// Asks `activity-dispatch` to start or stop notifying a browser of one delivery's alerts.
public struct AlertSubscriptionRequest: Codable, Hashable, Sendable {
    public static let schema = 1

    /// The keys that encrypt messages to the browser, base64url.
    public struct Keys: Codable, Hashable, Sendable {
        public let p256dh: String
        public let auth: String

        public init(p256dh: String, auth: String) {
            self.p256dh = p256dh
            self.auth = auth
        }
    }

    public let schema: Int
    public let delivery: DeliveryID
    /// The push service's URL for the browser.
    public let endpoint: String
    /// Nil to end the subscription.
    public let keys: Keys?
    /// The language of the notifications.
    public let locale: String
    /// Names the proof that its reader gave the order's number with; nil where that is not known.
    public let proof: String?

    public init(delivery: DeliveryID, endpoint: String, keys: Keys?, locale: String, proof: String? = nil) {
        schema = Self.schema
        self.delivery = delivery
        self.endpoint = endpoint
        self.keys = keys
        self.locale = locale
        self.proof = proof
    }
}
