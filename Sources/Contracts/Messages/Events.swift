public import Foundation
public import OrderDomain

/// A whole snapshot of a delivery after a change, so that the newest one alone is enough.
public struct DeliveryChanged: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    public let delivery: Delivery
    /// The links that a customer may press, signed by `orders`; passed on unchanged.
    public let links: [DeliveryLink]
    /// The change's cause; an open code for logs and timelines: `status`, `item`, `republished`.
    public let cause: String
    /// When it changed, domain time.
    public let changedAt: Date
    /// The codes reached by the change, of either region; nil without a change of status, and in republished messages.
    public let reached: [StatusCode]?
    /// The customer's PIN, sealed for `activity-dispatch`; nil unless the courier is near.
    ///
    /// Readers pass it on unchanged.
    public let pin: String?

    public init(
        delivery: Delivery, links: [DeliveryLink], cause: String, changedAt: Date, reached: [StatusCode]? = nil,
        pin: String? = nil
    ) {
        schema = Self.schema
        self.delivery = delivery
        self.links = links
        self.cause = cause
        self.changedAt = changedAt
        self.reached = reached
        self.pin = pin
    }
}

/// Devices whose streams have new events, or another customer: among replicas of `activity-dispatch` alone.
public struct StreamsChanged: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    public let devices: [Device]

    public struct Device: Codable, Hashable, Sendable {
        public let device: String
        /// The newest id of its stream; nil makes readers read the stream in any case.
        public let lastEventID: Int?

        public init(device: String, lastEventID: Int?) {
            self.device = device
            self.lastEventID = lastEventID
        }
    }

    public init(devices: [Device]) {
        schema = Self.schema
        self.devices = devices
    }
}

/// A signed deep link of a delivery.
public struct DeliveryLink: Codable, Hashable, Sendable {
    /// One of `LiveActivity.Verb`, as an open code.
    public let verb: String
    public let url: String

    public init(verb: String, url: String) {
        self.verb = verb
        self.url = url
    }
}

/// When a delivery is now expected.
public struct EstimateChanged: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    public let delivery: DeliveryID
    /// The delivery's version that it was made for.
    public let version: Int
    /// Rises with each estimate and content of the delivery that `courier-eta` publishes.
    public let step: Int
    public let estimate: Estimate
    public let courier: CourierID
    /// When the courier's last fix was received.
    public let lastFixAt: Date?
    /// The probability that the promise is missed, 0 to 1; nil from a writer that does not estimate it.
    public let missProbability: Double?
    /// The errors of the shown arrivals, at each arrival so far; nil before the first.
    public let errors: [ShownError]?

    /// How far a shown arrival was off.
    public struct ShownError: Codable, Hashable, Sendable {
        /// The time left when it was shown, as an open code: `10m`; `last` for the one shown at the arrival.
        public let horizon: String
        /// From the shown to the actual arrival; positive where the courier came later.
        public let seconds: Double

        public init(horizon: String, seconds: Double) {
            self.horizon = horizon
            self.seconds = seconds
        }
    }

    public init(
        delivery: DeliveryID, version: Int, step: Int, estimate: Estimate, courier: CourierID, lastFixAt: Date?,
        missProbability: Double? = nil, errors: [ShownError]? = nil
    ) {
        schema = Self.schema
        self.delivery = delivery
        self.version = version
        self.step = step
        self.estimate = estimate
        self.courier = courier
        self.lastFixAt = lastFixAt
        self.missProbability = missProbability
        self.errors = errors
    }
}

/// A milestone that `courier-eta` detected, published once.
public struct MilestoneReached: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    public let delivery: DeliveryID
    public let milestone: Milestone
    public let assignmentEpoch: Int
    /// When it happened by the courier's fixes, domain time.
    public let at: Date
    /// The door that the courier is near, or at; nil for other milestones, and from a writer that does not name it.
    public let door: Coordinate?
    /// The promise's end that the delivery is late for, or in time for; nil for other milestones, and from a writer that
    /// does not name it.
    public let promiseEnd: Date?

    public init(
        delivery: DeliveryID, milestone: Milestone, assignmentEpoch: Int, at: Date, door: Coordinate? = nil,
        promiseEnd: Date? = nil
    ) {
        schema = Self.schema
        self.delivery = delivery
        self.milestone = milestone
        self.assignmentEpoch = assignmentEpoch
        self.at = at
        self.door = door
        self.promiseEnd = promiseEnd
    }
}

/// A delivery provider's report about a delivery.
public struct ProviderReported: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    public let delivery: DeliveryID
    public let report: ProviderReport

    public init(delivery: DeliveryID, report: ProviderReport) {
        schema = Self.schema
        self.delivery = delivery
        self.report = report
    }
}

/// A delivery provider's position of a delivery's courier.
public struct ProviderPosition: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    public let delivery: DeliveryID
    /// Nil where the provider names no courier: the delivery's courier at that time applies, where it is the provider's.
    public let courier: CourierID?
    /// The provider that reported it; nil in messages of 0.29.
    public let source: ProviderID?
    /// The only store of the source that reported it; nil for every store, and in messages of former versions.
    public let store: StoreID?
    public let coordinate: Coordinate
    /// Domain time.
    public let at: Date

    public init(
        delivery: DeliveryID, courier: CourierID?, source: ProviderID? = nil, store: StoreID? = nil,
        coordinate: Coordinate, at: Date
    ) {
        schema = Self.schema
        self.delivery = delivery
        self.courier = courier
        self.source = source
        self.store = store
        self.coordinate = coordinate
        self.at = at
    }
}

/// The number of a delivery's cards that are behind, for operators' lists.
public struct CardHealthChanged: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    public let delivery: DeliveryID
    /// Rises with each change of the other fields; a consumer ignores equal and lower values.
    public let sequence: Int
    public let cards: Int
    /// Cards that do not show the wanted revision yet.
    public let behind: Int
    /// Why, for the one that is behind the longest; an open code.
    public let reason: String?

    public init(delivery: DeliveryID, sequence: Int, cards: Int, behind: Int, reason: String?) {
        schema = Self.schema
        self.delivery = delivery
        self.sequence = sequence
        self.cards = cards
        self.behind = behind
        self.reason = reason
    }
}
