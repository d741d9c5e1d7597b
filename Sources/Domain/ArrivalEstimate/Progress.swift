import Foundation

/// What the fixes of a leg say at one moment about the way to the next stop, in numbers for a regression.
///
/// Places and ids are not among them: a model learned in one town reads the same in another.
struct Progress {
    /// What each number is, in the order of `features`; a model says which it was made for.
    static let names = [
        "logExpected", "logMetres", "age", "ageShare", "elapsed", "logWhole", "left", "elapsedShare", "pace",
        "gain60", "gain120", "gain240", "gain480", "speed60", "speed120", "speed300", "detour120", "detour480",
        "standing", "hour", "weekend", "mode", "bearing", "interval", "beyond", "logExpectedWhole", "fixes",
        "slowShare", "topSpeed", "lastHop", "north", "east", "roadShare",
        "bearing30", "speed30", "cruise", "movingShare", "madeGood", "ownPace", "corner", "hourFactor",
    ]

    let features: [Double]
    /// Seconds to go by the prior, counted down since the last fix.
    let base: Double
    /// Seconds to go at the usual speed; a smoother measure, which no ride has a part in.
    let plainBase: Double

    /// At least these seconds are always to go: below them ratios mean nothing.
    static let baseMin = 15.0
    /// Seconds of silence that rides teach; what is longer is counted down.
    static let taughtSilence = 240.0
    /// Share of the prior that silence cannot count down.
    static let floorShare = 0.3

    /// - Parameter fixes: of this leg, in order of time, none later than `now`.
    init(_ fixes: [Fix], along route: Route, since: Date, prior: TravelPrior, now: Date) {
        let door = route.next
        let origin = route.origin ?? fixes.first?.place ?? door
        let way = RecentWay(fixes, beginning: Fix(time: min(since, now), place: origin))
        let (last, hour) = (way.last, route.hour(at: now))
        let hourFactor = prior.factor(route.mode, hour: hour)
        func expected(_ place: Place) -> Double {
            prior.seconds(route.mode, metres: place.distance(to: door)) * hourFactor
        }
        let (metres, whole) = (last.place.distance(to: door), origin.distance(to: door))
        let (toGo, expectedWhole) = (expected(last.place), expected(origin))
        let age = max(0, now.timeIntervalSince(last.time))
        let elapsed = max(0, now.timeIntervalSince(since))
        let elapsedAtFix = max(0, last.time.timeIntervalSince(since))
        base = max(toGo - age, Self.floorShare * toGo, Self.baseMin)

        let plain = TravelPrior.plainSeconds(route.mode, metres: metres)
        plainBase = max(plain - max(0, age - Self.taughtSilence), Self.floorShare * plain, Self.baseMin)

        // Seconds of the prior's way that were made good in each second; drawn to 1 where there is little to see.
        let gains = [60.0, 120, 240, 480].map { window in
            let former = way.place(secondsBefore: window)
            return (expected(former.place) - toGo + 30) / (former.seconds + 30)
        }
        let ahead = last.place.offset(to: door)
        let nearest = way.fixes.map { $0.place.distance(to: door) }.min() ?? metres
        let pace = way.recentPace

        var features = [
            log(toGo + 1), log(metres + 20), age, age / (toGo + 30), elapsed, log(whole + 50), metres / (whole + 50),
            elapsed / (expectedWhole + 60),
            log((elapsedAtFix + 120) / (max(expectedWhole - toGo, -60) + 120)),
        ]
        features += gains
        features += [way.speed(over: 60), way.speed(over: 120), way.speed(over: 300)]
        features += [way.detour(over: 120), way.detour(over: 480)]
        features += [
            way.standingSeconds, hour, route.isWeekend(at: now) ? 1 : 0,
            Double(TravelMode.allCases.firstIndex(of: route.mode) ?? 0),
            way.bearing(over: 120, to: door),
            way.usualInterval, metres - nearest, log(expectedWhole + 1), Double(fixes.count),
            pace.slowShare, pace.top, way.lastHop,
            ahead.north / (metres + 50), ahead.east / (metres + 50),
            log(max(route.roadShare, 0.01)),
        ]
        // Straight metres gained in a second since the beginning, drawn to 3; and how long the rest takes at that.
        let ownSpeed = max(0.2, (whole - metres + 200) / (elapsedAtFix + 67))
        let cruise = way.cruise
        features += [
            way.bearing(over: 30, to: door), way.speed(over: 30), cruise.speed, cruise.share,
            log((way.metres + 100) / (max(0, whole - metres) + 100)), log(metres / ownSpeed / (toGo + 1) + 0.05),
            (abs(ahead.north) + abs(ahead.east)) / (metres + 20), hourFactor,
        ]
        self.features = features
    }

    /// What a regression's ratios are of.
    func base(for scale: QuantileRegression.Scale?) -> Double { scale == .logarithm ? plainBase : base }
}
