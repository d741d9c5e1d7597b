import ArrivalEstimate
import Foundation
import OrderDomain

/// This service's state of one delivery besides the snapshot from `orders`; stored as JSON in `deliveries.tracking`.
struct TrackingState: Codable, Hashable, Sendable {
    /// When the present leg began; fixes from before it belong to another.
    var legStartedAt: Date
    /// When the goods' way in the present stage began, or the courier left the last door on it; nil where that is the
    /// leg's beginning, which a stop less or more before the door, or a correction of the door, makes later.
    var wayStartedAt: Date?
    /// The door that the courier left last on that way; nil before the first, and where it is not known.
    var wayOrigin: Coordinate?
    /// When the delivery's last hold ended; nil before the first.
    var releasedAt: Date?
    /// The courier's place at its beginning; nil until the first fix of the leg.
    var legOrigin: Coordinate?
    /// The newest estimate, published or not.
    var estimate: Estimate?
    /// The estimate that was published last.
    var published: Estimate?
    /// The stops before the delivery on the trip that the published estimate holds for, sorted; nil before it was stored.
    var publishedStops: [DeliveryID]?
    /// Whether its window ended while the courier was silent, so that screens show none; nil means false.
    var isWindowOver: Bool?
    var detector: MilestoneDetector
    /// Share of the distance from store to door that is behind the goods, 0 to 1; never decreases while one courier carries
    /// them to one door.
    var legProgress: Double?
    /// The time of the newest fix of the courier's phone.
    var lastFixAt: Date?
    /// Readings of a road engine on this leg, oldest first; nil without any.
    var roadSamples: [RoadSample]?
    /// The newest leg that ended at the door; nil before.
    var arrivedLeg: ArrivedLeg?
    /// Seconds without a fix after which the courier's phone counts as silent; nil before its first fix.
    var silentAfter: Double?
    /// Whether the courier has an enrolled phone, as far as known; nil before that was asked.
    var hasEnrolledPhone: Bool?
    /// The metres that the courier is within, for the card; nil where it shows none.
    var withinMetres: Int?
    /// Since when the courier stands still, once that is long enough to report to the customer.
    var standingSince: Date?
    /// The probability that the promise is missed, by the newest estimate.
    var missProbability: Double?
    /// When a change of that probability was last reported to operators.
    var riskReportedAt: Date?
    /// Doors and stores of the courier's other deliveries, ended ones included: a stop there is no unexpected one.
    var otherStops: [Coordinate]?
    /// Where the former courier, who has the goods until they are fetched, was seen in the half hour before the
    /// hand-over began; nil without a hand-over, and where they were not.
    var fetchPlace: Coordinate?
    /// When the courier was given the goods of another one, and then when they fetched them; nil without a hand-over.
    var fetchingSince: Date?
    /// The shown estimate at each horizon on the way to the door, for the error at the arrival; nil before the first.
    var horizonEstimates: [HorizonEstimate]?
    /// The errors of the shown arrivals at each arrival so far; nil before the first.
    var arrivalErrors: [EstimateError]?
    /// The newest step's published state besides the estimate, so that a resync repeats it exactly.
    var lastPublished = PublishedState()
    /// Oldest first.
    var milestones: [ReachedMilestone] = []

    struct ReachedMilestone: Codable, Hashable, Sendable {
        let milestone: Milestone
        let at: Date
    }

    /// A leg that ended at the door.
    struct ArrivedLeg: Codable, Hashable, Sendable {
        let startedAt: Date
        let origin: Coordinate
        /// The time of the first fix at the door.
        let arrivedAt: Date
        let roads: [RoadReading]
    }

    struct PublishedState: Codable, Hashable, Sendable {
        var legProgress: Double?
        var lastFixAt: Date?
        var standingSince: Date?
        var withinMetres: Int?
        /// Nil before it was stored, which means true.
        var hasPhone: Bool?
        /// The time until which a screen may show it without an update; nil for the end of its window.
        var freshUntil: Date?
        var missProbability: Double?
    }

    /// Whether a phone or a provider has sent a fix on this trip, or a phone could; without one, no courier is silent.
    var hasPhone: Bool { lastFixAt != nil || hasEnrolledPhone != false }

    /// Whether the newest estimate is of the present leg, and of no former one.
    var isEstimateOfLeg: Bool { estimate.map { $0.madeAt >= legStartedAt } ?? false }

    /// The estimate whose window screens show.
    var shown: Estimate? { isWindowOver == true ? nil : published }

    /// The estimate for lists and operators: the published one, or the newest before the first is published.
    var forReaders: Estimate? { published ?? estimate }

    static let milestonesMax = 32
    /// The newest errors that are kept: those of several arrivals.
    static let arrivalErrorsMax = 20
    static let otherStopsMax = 32
    /// The most samples; of a leg with more, the first and the newest are kept.
    static let roadSamplesMax = 8

    /// The time until which a screen may show its estimate without an update; nil for a screen without one.
    var freshUntil: Date? {
        shown?.freshUntil(
            lastFixAt: max(lastFixAt ?? legStartedAt, legStartedAt),
            silentAfter: silentAfter ?? CourierTrack().silentAfter)
    }

    /// Whether it differs from `former` in more than the courier's recorded fixes can restore.
    ///
    /// Values that the newest fix alone decides are recomputed with the next one, so they need not be stored each time.
    func isLostWithoutStoring(over former: TrackingState) -> Bool {
        var retold = self
        retold.estimate = former.estimate
        retold.silentAfter = former.silentAfter
        retold.missProbability = former.missProbability
        retold.legProgress = former.legProgress
        retold.withinMetres = former.withinMetres
        if former.lastFixAt != nil { retold.lastFixAt = former.lastFixAt }
        return retold != former
    }

    /// Publishes an estimate in place of the former one.
    ///
    /// - Parameter stops: the stops before the delivery, sorted.
    mutating func publish(_ estimate: Estimate, after stops: [DeliveryID]) {
        published = estimate
        publishedStops = stops
        isWindowOver = nil
    }

    /// Removes every statement about the arrival, which was of another courier or at another door.
    mutating func removeArrival() {
        estimate = nil
        published = nil
        publishedStops = nil
        isWindowOver = nil
        missProbability = nil
        arrivedLeg = nil
        horizonEstimates = nil
    }

    /// Keeps the errors of an arrival, for messages.
    mutating func record(_ errors: [EstimateError]) {
        guard !errors.isEmpty else { return }
        arrivalErrors = Array(((arrivalErrors ?? []) + errors).suffix(Self.arrivalErrorsMax))
    }

    /// Remembers the courier's other stops: a door still counts when its delivery has ended there a moment ago.
    ///
    /// Of a trip with more stops than are kept the next ones count, and the one that was left last.
    ///
    /// - Parameter carried: the courier's live deliveries, in the order of the trip.
    mutating func recordStops(of carried: [Delivery], besides delivery: DeliveryID) {
        var present: [Coordinate] = []
        for other in carried where other.id != delivery {
            // The door is the last place of a delivery: the one that was left last is a door, and no store.
            for stop in [other.store.location, other.door] where !present.contains(stop) { present.append(stop) }
            if present.count >= Self.otherStopsMax { break }
        }
        let known = otherStops ?? []
        let left = known.filter { !present.contains($0) }.suffix(max(1, Self.otherStopsMax - present.count))
        let stops = Array(left + present.prefix(Self.otherStopsMax - left.count))
        if stops != known { otherStops = stops }
    }
}

/// A reading of a road engine, and where the courier was then.
struct RoadSample: Codable, Hashable, Sendable {
    let from: Coordinate
    let reading: RoadReading
}
