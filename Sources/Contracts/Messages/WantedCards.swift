public import LiveActivity
public import OrderDomain

/// Asks `activity-dispatch` for the wanted states of deliveries' cards, for pages, which are not registered devices.
public struct WantedCardsQuestion: Codable, Hashable, Sendable {
    public static let schema = 1
    /// Deliveries in one question: with the longest cards, half a megabyte of answer.
    public static let deliveriesMax = 100

    public let schema: Int
    public let deliveries: [DeliveryID]

    public init(_ deliveries: [DeliveryID]) {
        schema = Self.schema
        self.deliveries = deliveries
    }
}

/// The answer to a ``WantedCardsQuestion``.
public struct WantedCards: Codable, Hashable, Sendable {
    public static let schema = 1

    public struct Card: Codable, Hashable, Sendable {
        public let delivery: DeliveryID
        /// The activity of the delivery's newest episode.
        public let activity: ActivityID
        public let step: ActivityStep
        /// Since when it is wanted, or known to be still true, epoch seconds.
        public let at: Int

        public init(delivery: DeliveryID, activity: ActivityID, step: ActivityStep, at: Int) {
            self.delivery = delivery
            self.activity = activity
            self.step = step
            self.at = at
        }

        /// The activity's episode of its delivery.
        public var episode: Int { activity.episode(of: delivery) ?? 0 }

        /// Whether it is of a later episode than another, or of the same and newer.
        public func isNews(after other: Card) -> Bool {
            episode == other.episode ? step.isNews(after: other.step) : episode > other.episode
        }
    }

    public let schema: Int
    /// The wanted cards; a delivery without a card is missing.
    public let cards: [Card]
    /// Why nothing was answered; nil where it was.
    public let fault: String?
    /// The VAPID public key for browsers' subscriptions, base64url; nil where notifications are off.
    public let alertKey: String?

    public init(_ cards: [Card], alertKey: String? = nil, fault: String? = nil) {
        schema = Self.schema
        self.cards = cards
        self.fault = fault
        self.alertKey = alertKey
    }
}
