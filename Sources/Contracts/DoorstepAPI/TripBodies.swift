public import Foundation
public import OrderDomain

/// A proposed order of a courier's stops, with the arrivals that follow from it; nothing has changed.
public struct TripPreviewBody: Codable, Hashable, Sendable {
    public let courier: CourierID
    /// The domain time of the estimates.
    public let asOf: Date
    /// In the order of the trip: the courier's own stops, then the added ones.
    public let stops: [Stop]
    /// Further deliveries that have ended or are unknown, which the trip is without; nil where all are live.
    public let notLive: [DeliveryID]?

    public init(courier: CourierID, asOf: Date, stops: [Stop], notLive: [DeliveryID]? = nil) {
        self.courier = courier
        self.asOf = asOf
        self.stops = stops
        self.notLive = notLive
    }

    /// One delivery of the trip.
    public struct Stop: Codable, Hashable, Sendable {
        public let delivery: DeliveryID
        public let reference: String
        public let bag: Bag
        /// The delivery's present version, for `If-Match`.
        public let version: Int
        /// Other doors before this one, in the proposed order.
        public let stopsBefore: Int
        public let formerStopsBefore: Int
        /// Whether the delivery is not the courier's yet.
        public let isAdded: Bool
        /// The delivery's present courier; nil for a delivery without one.
        public let formerCourier: CourierID?
        /// The name of the courier from whom this one fetches the goods; nil for goods in the store or with this courier.
        public let fetchedFrom: String?
        public let promiseEnd: Date
        /// IANA name of the store's time zone.
        public let timeZone: String
        /// The expected arrival on the proposed trip; nil where none is estimated, such as at the door.
        public let estimate: Estimate?
        /// The present one; nil before there is an estimate.
        public let formerEstimate: Estimate?
        /// Whether it is expected after its promise, on the proposed trip and at present.
        public let isLate: Bool
        public let wasLate: Bool
        /// Whether it is on hold, after the move and at present; nil from an older service.
        public let isOnHold: Bool?
        public let wasOnHold: Bool?

        public init(
            delivery: DeliveryID, reference: String, bag: Bag, version: Int, stopsBefore: Int, formerStopsBefore: Int,
            isAdded: Bool, formerCourier: CourierID?, fetchedFrom: String?, promiseEnd: Date, timeZone: String,
            estimate: Estimate?, formerEstimate: Estimate?, isLate: Bool, wasLate: Bool, isOnHold: Bool? = nil,
            wasOnHold: Bool? = nil
        ) {
            self.delivery = delivery
            self.reference = reference
            self.bag = bag
            self.version = version
            self.stopsBefore = stopsBefore
            self.formerStopsBefore = formerStopsBefore
            self.isAdded = isAdded
            self.formerCourier = formerCourier
            self.fetchedFrom = fetchedFrom
            self.promiseEnd = promiseEnd
            self.timeZone = timeZone
            self.estimate = estimate
            self.formerEstimate = formerEstimate
            self.isLate = isLate
            self.wasLate = wasLate
            self.isOnHold = isOnHold
            self.wasOnHold = wasOnHold
        }
    }
}

/// The request body of `PUT /v1/deliveries/{id}/trip`: other doors before this one.
public struct TripBody: Codable, Sendable {
    /// The stops that a trip may have before a delivery.
    public static let stopsBeforeRange = 0...50

    public var stopsBefore: Int
    /// The reason in the delivery's timeline; no customer reads it.
    public var reason: String?

    public init(stopsBefore: Int, reason: String? = nil) {
        self.stopsBefore = stopsBefore
        self.reason = reason
    }
}
