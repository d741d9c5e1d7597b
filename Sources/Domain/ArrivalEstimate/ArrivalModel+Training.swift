public import Foundation

/// A ride whose end is known: what a model learns from.
public struct RecordedRide: Sendable {
    public let courier: String
    public let mode: TravelMode
    /// Seconds by which the courier's clock was ahead of UTC.
    public let utcOffset: Double
    public let origin: Place
    public let since: Date
    public let door: Place
    public let arrivedAt: Date
    /// In any order.
    public let fixes: [Fix]
    /// What a road engine said on the way, in order of time.
    public let roads: [RoadReading]

    public init(
        courier: String, mode: TravelMode, utcOffset: Double, origin: Place, since: Date, door: Place, arrivedAt: Date,
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

/// What a road engine said about the way to the next stop.
public struct RoadReading: Hashable, Codable, Sendable {
    public let at: Date
    /// How many times the usual the road was long.
    public let share: Double

    public init(at: Date, share: Double) {
        self.at = at
        self.share = share
    }
}

extension ArrivalModel {
    /// Fixes fewer than these teach nothing.
    public static let ridesMin = 50
    /// Seconds between the moments of a ride that are learned from, and before its end.
    private static let stepSeconds = 30.0
    private static let endSeconds = 15.0
    /// Where the point lies among what may happen: a customer told too early waits at the door.
    ///
    /// Chosen by trials across couriers, so that each second of accuracy given up spares as many people a wait.
    private static let pointQuantiles: [TravelMode: Double] = [.bicycle: 0.53, .car: 0.6, .cab: 0.56]
    private static let scale = QuantileRegression.Scale.logarithm
    /// One moment in so many is seen as over a bad line, so that a model knows what that looks like.
    private static let wornEvery = 3

    /// Rides are many moments each, and drawing nearly all of them each time was best.
    private static func growing(_ rounds: Int) -> TreeGrowing {
        TreeGrowing(rounds: rounds, leavesMax: 16, rideShare: 0.9, featureShare: 0.3)
    }

    /// Fits a model on rides, every ride of equal weight.
    ///
    /// - Throws: when there are fewer than `ridesMin`.
    public static func fit(
        _ rides: [RecordedRide], ways: WayModel? = nil, orders: OrderModel? = nil, stays: [StopStay] = []
    ) throws(TooFewRides) -> ArrivalModel {
        try fit(rides, ways: ways, orders: orders, stays: stays, rounds: 150)
    }

    /// - Parameter rounds: of boosting; 0 for constants.
    static func fit(
        _ rides: [RecordedRide], ways: WayModel?, orders: OrderModel?, stays: [StopStay] = [], rounds: Int
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
                table, scale: scale, growing: growing(rounds)),
            ways: ways, orders: orders, detours: DetourFactor.fit(rides), stays: StopStays.fit(stays))
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
        var worn = Replay(BadReception.of(ride.fixes, seed: number))
        for (index, moment) in moments.enumerated() {
            let now = ride.since.addingTimeInterval(moment)
            clean.hear(until: now)
            worn.hear(until: now)
            let seen = index % wornEvery == wornEvery - 1 ? worn.track : clean.track
            let progress = Progress(
                seen.believed, along: ride.route(at: now), since: ride.since, prior: prior, now: now)
            table.append(
                progress.features, base: progress.base(for: scale), seconds: ride.arrivedAt.timeIntervalSince(now),
                weight: 1 / Double(moments.count), quantile: pointQuantiles[ride.mode] ?? 0.5, ride: number,
                group: group)
        }
    }
}

/// A track that grows as its fixes are heard.
private struct Replay {
    private(set) var track = CourierTrack()
    /// Latest first.
    private var toCome: [(heardAt: Date, fix: Fix)]

    init(_ heard: [(heardAt: Date, fix: Fix)]) {
        toCome = heard.sorted { ($0.heardAt, $0.fix.time) > ($1.heardAt, $1.fix.time) }
    }

    mutating func hear(until now: Date) {
        while let next = toCome.last, next.heardAt <= now {
            _ = try? track.insert(next.fix, receivedAt: next.heardAt)
            toCome.removeLast()
        }
    }
}

/// There is too little to learn from.
public struct TooFewRides: Error, Hashable, Sendable, CustomStringConvertible {
    public let count: Int

    public var description: String {
        "\(count) rides with an end and fixes are too few to learn from: \(ArrivalModel.ridesMin) are needed"
    }
}
