public import Foundation
public import OrderDomain

/// The request body of `POST /v1/fixes` from a courier's app; one or many fixes, in any order.
public struct FixesBody: Codable, Sendable {
    public var fixes: [FixBody]
    /// Whether the body had further fixes, which are not decoded.
    public private(set) var hasMore = false

    public init(fixes: [FixBody]) { self.fixes = fixes }

    private enum CodingKeys: String, CodingKey { case fixes }

    /// Fixes of one request that are decoded, the first of the body.
    ///
    /// Ten times Overland's largest batch, and a day of a phone that measures every ten seconds.
    public static let fixesMax = 10_000

    /// A fix that cannot be decoded counts as malformed and does not reject the others.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .fixes)
        fixes = []
        while !list.isAtEnd, fixes.count < Self.fixesMax { fixes.append(try list.decode(FixBody.self)) }
        hasMore = !list.isAtEnd
    }
}

/// One position as a phone sends it.
public enum FixBody: Codable, Hashable, Sendable {
    case readable(Position)
    /// An unreadable position: counted, never refused, so that a tracker app's queue drains.
    case malformed

    public struct Position: Codable, Hashable, Sendable {
        /// When it was measured: ISO 8601, or seconds since 1970.
        public var time: Date
        public var latitude: Double
        public var longitude: Double
        /// Metres; negative is unknown.
        public var accuracy: Double?
        /// Metres a second; negative is unknown.
        public var speed: Double?
        /// Degrees clockwise from north; negative is unknown.
        public var heading: Double?

        public init(
            time: Date, latitude: Double, longitude: Double, accuracy: Double? = nil, speed: Double? = nil,
            heading: Double? = nil
        ) {
            self.time = time
            self.latitude = latitude
            self.longitude = longitude
            self.accuracy = accuracy
            self.speed = speed
            self.heading = heading
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // A time that is no number is decoded as a date below, and that error is thrown.
            if let seconds = try? container.decode(Double.self, forKey: .time) {
                time = Date(timeIntervalSince1970: seconds)
            } else {
                time = try container.decode(Date.self, forKey: .time)
            }
            latitude = try container.decode(Double.self, forKey: .latitude)
            longitude = try container.decode(Double.self, forKey: .longitude)
            accuracy = try container.decodeIfPresent(Double.self, forKey: .accuracy)
            speed = try container.decodeIfPresent(Double.self, forKey: .speed)
            heading = try container.decodeIfPresent(Double.self, forKey: .heading)
        }
    }

    public init(from decoder: any Decoder) throws {
        // The ingest counts a malformed fix and answers with the number; the other fixes are accepted.
        self = (try? Position(from: decoder)).map(FixBody.readable) ?? .malformed
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .readable(let position): try position.encode(to: encoder)
        case .malformed:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }
}

/// The number of accepted fixes, with status 200 even for none, so that no tracker app stops or drops its queue.
public struct FixesAnswer: Codable, Hashable, Sendable {
    public let accepted: Int
    /// The number of ignored fixes, by reason: `malformed`, `invalid`, `zero`, `future`, `old`, `inaccurate`,
    /// `duplicate`, `too_fast`, `mock`, `off_duty`, `too_many`.
    public let ignored: [String: Int]

    public init(accepted: Int, ignored: [String: Int]) {
        self.accepted = accepted
        self.ignored = ignored
    }
}

/// Couriers' last known positions, by id.
public struct CourierPositionsBody: Codable, Hashable, Sendable {
    /// The domain time of the reading; a position's age is this less its time.
    public let asOf: Date
    public let positions: [CourierPositionBody]
    /// The value of `?after=` for the next page; nil on the last.
    public let next: CourierID?

    public init(asOf: Date, positions: [CourierPositionBody], next: CourierID?) {
        self.asOf = asOf
        self.positions = positions
        self.next = next
    }
}

/// A courier's last known position.
public struct CourierPositionBody: Codable, Hashable, Sendable {
    public let courier: CourierID
    public let latest: Fix?
    /// Seconds that the courier had stayed within 40 m at the last fix.
    public let standingSeconds: Int
    /// Seconds between this phone's fixes, the median.
    public let usualIntervalSeconds: Int
    /// Whether the courier's phone is silent for one of `deliveries`: these have the flag `courier_silent`.
    public let isSilent: Bool
    /// The courier's deliveries, picked up or not, in the order of the trip.
    public let deliveries: [DeliveryID]

    public struct Fix: Codable, Hashable, Sendable {
        public let time: Date
        public let latitude: Double
        public let longitude: Double
        public let accuracy: Double?
        public let speed: Double?
        public let heading: Double?

        public init(
            time: Date, latitude: Double, longitude: Double, accuracy: Double?, speed: Double?, heading: Double?
        ) {
            self.time = time
            self.latitude = latitude
            self.longitude = longitude
            self.accuracy = accuracy
            self.speed = speed
            self.heading = heading
        }
    }

    public init(
        courier: CourierID, latest: Fix?, standingSeconds: Int, usualIntervalSeconds: Int, isSilent: Bool,
        deliveries: [DeliveryID]
    ) {
        self.courier = courier
        self.latest = latest
        self.standingSeconds = standingSeconds
        self.usualIntervalSeconds = usualIntervalSeconds
        self.isSilent = isSilent
        self.deliveries = deliveries
    }
}

/// When a delivery arrives, and the milestones that were reached so far.
public struct EstimateBody: Codable, Hashable, Sendable {
    public let delivery: DeliveryID
    /// The delivery's version that this is about.
    public let version: Int
    /// The last step that this service published for the version.
    public let step: Int
    /// The newest estimate, which is not always published, an initial one before the courier's first fix; nil before a
    /// courier has the delivery.
    public let estimate: Estimate?
    /// The one that was published, which screens and lists show.
    public let published: Estimate?
    /// The time of the courier's last fix.
    public let lastFixAt: Date?
    /// Oldest first, the last 32.
    public let milestones: [ReachedMilestone]

    public struct ReachedMilestone: Codable, Hashable, Sendable {
        public let milestone: Milestone
        public let at: Date

        public init(milestone: Milestone, at: Date) {
            self.milestone = milestone
            self.at = at
        }
    }

    /// The estimate for people: the published one, or the newest before the first is published.
    public var forReaders: Estimate? { published ?? estimate }

    public init(
        delivery: DeliveryID, version: Int, step: Int, estimate: Estimate?, published: Estimate?, lastFixAt: Date?,
        milestones: [ReachedMilestone]
    ) {
        self.delivery = delivery
        self.version = version
        self.step = step
        self.estimate = estimate
        self.published = published
        self.lastFixAt = lastFixAt
        self.milestones = milestones
    }
}
