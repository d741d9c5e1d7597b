public import Foundation
public import OrderDomain

/// A ride whose arrival is known: one training example.
public struct RecordedRide: Sendable {
    public let courier: String
    public let mode: TravelMode
    /// Seconds by which the courier's clock was ahead of UTC.
    public let utcOffset: Double
    public let origin: Coordinate
    public let since: Date
    public let door: Coordinate
    public let arrivedAt: Date
    /// The ride's fixes, in any order.
    public let fixes: [Fix]
    /// Readings of a road engine during the ride, in order of time.
    public let roads: [RoadReading]

    public init(
        courier: String, mode: TravelMode, utcOffset: Double, origin: Coordinate, since: Date, door: Coordinate,
        arrivedAt: Date,
        fixes: [Fix], roads: [RoadReading] = []
    ) {
        self.courier = courier
        self.mode = mode
        self.utcOffset = utcOffset
        self.origin = origin
        self.since = since
        self.door = door
        self.arrivedAt = arrivedAt
        self.fixes = fixes
        self.roads = roads
    }

    var route: Route {
        var route = Route(mode: mode, through: [], to: door)
        route.origin = origin
        route.utcOffset = utcOffset
        return route
    }

    /// The route as it was known at that moment.
    func route(at now: Date) -> Route {
        var route = route
        route.roadShare = roads.last { $0.at <= now }?.share ?? 1
        return route
    }
}

/// A road engine's distance to the next stop.
public struct RoadReading: Hashable, Codable, Sendable {
    public let at: Date
    /// Distance by road as a multiple of the usual one.
    public let share: Double

    public init(at: Date, share: Double) {
        self.at = at
        self.share = share
    }
}

extension ArrivalModel {
    /// Rides below which no model is fitted.
    public static let ridesMin = 50
    /// Seconds between the sampled moments of a ride, and before its end.
    private static let stepSeconds = 30.0
    private static let endSeconds = 15.0
    /// The quantile of the point by travel mode: above the median, as an estimate too early makes a customer wait.
    ///
    /// Chosen by cross-validation over couriers, at equal cost in accuracy for each estimate that is no longer too early.
    private static let pointQuantiles: [TravelMode: Double] = [.bicycle: 0.53, .car: 0.6, .cab: 0.56]
    private static let scale = QuantileRegression.Scale.logarithm
    /// The interval, in moments, of samples from the degraded signal, as data augmentation.
    private static let degradedEvery = 3

    /// Rides are many moments each, and sampling nearly all of them for each tree was best.
    private static func boosting(_ rounds: Int) -> GradientBoosting {
        GradientBoosting(rounds: rounds, leavesMax: 16, rideShare: 0.9, featureShare: 0.3)
    }

    /// Fits a model on rides, every ride of equal weight.
    ///
    /// - Throws: when there are fewer than `ridesMin`.
    public static func fit(
        _ rides: [RecordedRide], legs: LegModel? = nil, orders: OrderModel? = nil, dwells: [Dwell] = []
    ) throws(TooFewRides) -> ArrivalModel {
        try fit(rides, legs: legs, orders: orders, dwells: dwells, rounds: 150)
    }

    /// - Parameter rounds: of boosting; 0 for constants.
    static func fit(
        _ rides: [RecordedRide], legs: LegModel?, orders: OrderModel?, dwells: [Dwell] = [], rounds: Int
    ) throws(TooFewRides) -> ArrivalModel {
        let rides = rides.filter { $0.arrivedAt > $0.since.addingTimeInterval(endSeconds) && !$0.fixes.isEmpty }
        guard rides.count >= ridesMin else { throw TooFewRides(count: rides.count) }
        let samples = rides.enumerated().flatMap { priorSamples(of: $1, number: $0) }
        let (prior, _) = TravelPrior.fit(samples, couriers: rides.map(\.courier))
        var groups: [String: Int] = [:]
        var table = TrainingTable()
        for (index, ride) in rides.enumerated() {
            let group = groups[ride.courier] ?? groups.count
            groups[ride.courier] = group
            append(ride, number: index, group: group, prior: prior, to: &table)
        }
        return ArrivalModel(
            rides: rides.count, prior: prior,
            regression: QuantileRegression.fit(
                table, scale: scale, boosting: boosting(rounds)),
            legs: legs, orders: orders, detours: DetourFactor.fit(rides), dwell: DwellTimes.fit(dwells))
    }

    private static func priorSamples(of ride: RecordedRide, number: Int) -> [PriorSample] {
        let fixes = CourierTrack.believed(ride.fixes.sorted { $0.time < $1.time }).filter { $0.time < ride.arrivedAt }
        return fixes.map { fix in
            PriorSample(
                ride: number, mode: ride.mode, metres: fix.place.distance(to: ride.door),
                hour: ride.route.hour(at: fix.time), seconds: ride.arrivedAt.timeIntervalSince(fix.time),
                weight: 1 / Double(fixes.count))
        }
    }

    private static func append(
        _ ride: RecordedRide, number: Int, group: Int, prior: TravelPrior, to table: inout TrainingTable
    ) {
        let end = ride.arrivedAt.timeIntervalSince(ride.since) - endSeconds
        let moments = Array(stride(from: 0, to: end, by: stepSeconds))
        var clean = Replay(ride.fixes.map { ($0.time, $0) })
        var degraded = Replay(SignalDegradation.applied(to: ride.fixes, seed: number))
        for (index, moment) in moments.enumerated() {
            let now = ride.since.addingTimeInterval(moment)
            clean.receive(until: now)
            degraded.receive(until: now)
            let track = index % degradedEvery == degradedEvery - 1 ? degraded.track : clean.track
            let leg = LegFeatures(
                track.believed, along: ride.route(at: now), since: ride.since, prior: prior, now: now)
            table.append(
                leg.features, base: leg.base(for: scale), seconds: ride.arrivedAt.timeIntervalSince(now),
                weight: 1 / Double(moments.count), quantile: pointQuantiles[ride.mode] ?? 0.5, ride: number,
                group: group)
        }
    }
}

/// A track that grows as its fixes are received.
private struct Replay {
    private(set) var track = CourierTrack()
    /// Latest first.
    private var pending: [(receivedAt: Date, fix: Fix)]

    init(_ fixes: [(receivedAt: Date, fix: Fix)]) {
        pending = fixes.sorted { ($0.receivedAt, $0.fix.time) > ($1.receivedAt, $1.fix.time) }
    }

    mutating func receive(until now: Date) {
        while let next = pending.last, next.receivedAt <= now {
            // The replayed track ignores the same fixes as the live track, for the same reason.
            _ = try? track.insert(next.fix, receivedAt: next.receivedAt)
            pending.removeLast()
        }
    }
}

/// There are too few rides to fit a model on.
public struct TooFewRides: Error, Hashable, Sendable, CustomStringConvertible {
    public let count: Int

    public var description: String {
        "\(count) rides with an end and fixes are too few to learn from: \(ArrivalModel.ridesMin) are needed"
    }
}
