import Foundation
import OrderDomain

/// The feature vector of a leg at one moment: evidence from its fixes about the time to the next stop.
///
/// Places and ids are not among the features, so that a model trained in one town applies to another.
struct LegFeatures {
    /// The features' names, in the order of `features`; a model lists the names of its training.
    static let names = [
        "logExpected", "logMetres", "age", "ageShare", "elapsed", "logWhole", "left", "elapsedShare", "pace",
        "gain60", "gain120", "gain240", "gain480", "speed60", "speed120", "speed300", "detour120", "detour480",
        "standing", "hour", "weekend", "mode", "bearing", "interval", "beyond", "logExpectedWhole", "fixes",
        "slowShare", "topSpeed", "lastHop", "north", "east", "roadShare",
        "bearing30", "speed30", "cruise", "movingShare", "madeGood", "ownPace", "corner", "hourFactor",
    ]

    let features: [Double]
    /// Seconds left by the prior, counted down since the last fix.
    let base: Double
    /// Seconds to go at the usual speed; independent of the training data, and smoother.
    let plainBase: Double

    /// Lower bound of the base in seconds: below it ratios mean nothing.
    static let baseMin = 15.0
    /// Seconds of silence that occur in training data; longer silence counts down the base.
    static let learnedSilence = 240.0
    /// Share of the prior that silence cannot count down.
    static let floorShare = 0.3

    /// - Parameter fixes: of this leg, in order of time, none later than `now`.
    init(_ fixes: [Fix], along route: Route, since: Date, prior: TravelPrior, now: Date) {
        self.init(
            MeasuredFixes(fixes, door: route.next), count: fixes.count, along: route, since: since, prior: prior,
            now: now)
    }

    /// - Parameters:
    ///   - count: the number of fixes not later than `now`.
    ///   - isBaseOnly: whether to skip the features, for a regression without trees.
    init(
        _ measured: MeasuredFixes, count: Int, along route: Route, since: Date, prior: TravelPrior, now: Date,
        isBaseOnly: Bool = false
    ) {
        let door = route.next
        let origin = route.origin ?? measured.fixes.first?.place ?? door
        let movement = RecentMovement(
            measured, count: count, beginning: Fix(time: min(since, now), place: origin), door: door)
        let (last, hour) = (movement.last, route.hour(at: now))
        let hourFactor = prior.factor(route.mode, hour: hour)
        func expected(_ place: Coordinate) -> Double {
            prior.seconds(route.mode, metres: place.distance(to: door)) * hourFactor
        }
        let metres = movement.metresToDoor
        let toGo = prior.seconds(route.mode, metres: metres) * hourFactor
        let age = max(0, now.timeIntervalSince(last.time))
        base = max(toGo - age, Self.floorShare * toGo, Self.baseMin)

        let plain = TravelPrior.plainSeconds(route.mode, metres: metres)
        plainBase = max(plain - max(0, age - Self.learnedSilence), Self.floorShare * plain, Self.baseMin)
        guard !isBaseOnly else {
            features = []
            return
        }

        let whole = origin.distance(to: door)
        let expectedWhole = prior.seconds(route.mode, metres: whole) * hourFactor
        let elapsed = max(0, now.timeIntervalSince(since))
        let elapsedAtFix = max(0, last.time.timeIntervalSince(since))
        // Seconds of the prior's time gained in each second; shrunk to 1 over short spans.
        let gains = [60.0, 120, 240, 480].map { window in
            let former = movement.place(secondsBefore: window)
            return (expected(former.place) - toGo + 30) / (former.seconds + 30)
        }
        let ahead = last.place.offset(to: door)
        let nearest = movement.metresToDoorMin
        let pace = movement.recentPace

        var features = [
            log(toGo + 1), log(metres + 20), age, age / (toGo + 30), elapsed, log(whole + 50), metres / (whole + 50),
            elapsed / (expectedWhole + 60),
            log((elapsedAtFix + 120) / (max(expectedWhole - toGo, -60) + 120)),
        ]
        features += gains
        features += [movement.speed(over: 60), movement.speed(over: 120), movement.speed(over: 300)]
        features += [movement.detour(over: 120), movement.detour(over: 480)]
        features += [
            movement.standingSeconds, hour, route.isWeekend(at: now) ? 1 : 0,
            Double(TravelMode.allCases.firstIndex(of: route.mode) ?? 0),
            movement.bearing(over: 120, to: door),
            movement.usualInterval, metres - nearest, log(expectedWhole + 1), Double(count),
            pace.slowShare, pace.top, movement.lastHop,
            ahead.north / (metres + 50), ahead.east / (metres + 50),
            log(max(route.roadShare, 0.01)),
        ]
        // Straight metres gained per second since the beginning, shrunk to 3; and the remaining time at that speed.
        let ownSpeed = max(0.2, (whole - metres + 200) / (elapsedAtFix + 67))
        let cruise = movement.cruise
        features += [
            movement.bearing(over: 30, to: door), movement.speed(over: 30), cruise.speed, cruise.share,
            log((movement.metres + 100) / (max(0, whole - metres) + 100)), log(metres / ownSpeed / (toGo + 1) + 0.05),
            (abs(ahead.north) + abs(ahead.east)) / (metres + 20), hourFactor,
        ]
        self.features = features
    }

    /// The base that a regression's ratios refer to.
    func base(for scale: QuantileRegression.Scale?) -> Double { scale == .logarithm ? plainBase : base }
}
