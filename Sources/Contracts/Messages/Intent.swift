public import LiveActivity
public import OrderDomain
internal import TextCoding

/// The id of one customer's activity for one delivery, or of their summary.
public struct ActivityID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard (1...96).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy(\.isURLSafe) else { return nil }
        self.rawValue = rawValue
    }

    /// The activity of one episode of a delivery.
    public init(_ delivery: DeliveryID, episode: Int) {
        rawValue = "\(delivery)-\(episode)"
    }

    /// The delivery that this is an episode of; nil for a summary.
    public var delivery: DeliveryID? {
        rawValue.lastIndex(of: "-").flatMap { DeliveryID(rawValue: String(rawValue[..<$0])) }
    }

    /// The episode of a delivery that this is the activity of; nil for another delivery's, and for a summary.
    public func episode(of delivery: DeliveryID) -> Int? {
        guard rawValue.hasPrefix("\(delivery)-") else { return nil }
        return Int(rawValue.dropFirst(delivery.rawValue.count + 1))
    }

    /// A customer's summary; each one from first show to end is an episode.
    public init(summaryOf customer: CustomerID, episode: Int) {
        rawValue = "summary-\(customer)-\(episode)"
    }
}

/// A complete wanted state of an activity, or its end.
public struct Intent: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    public let activity: ActivityID
    public let customer: CustomerID
    /// Nil on a summary.
    public let delivery: DeliveryID?
    /// The delivery's store; nil on a summary, and in intents from before it was carried.
    public let store: StoreID?
    public let writer: Writer
    public let step: ActivityStep

    public init(
        activity: ActivityID, customer: CustomerID, delivery: DeliveryID?, store: StoreID? = nil, writer: Writer,
        step: ActivityStep
    ) {
        schema = Self.schema
        self.activity = activity
        self.customer = customer
        self.delivery = delivery
        self.store = store
        self.writer = writer
        self.step = step
    }
}
