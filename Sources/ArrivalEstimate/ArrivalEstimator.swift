public import Foundation

/// When a courier will be at a door: a point, and a window that holds the arrival with a chance of 80 %.
public struct ArrivalEstimate: Hashable, Codable, Sendable {
    public let arrivesAt: Date
    public let earliest: Date
    public let latest: Date
    public let madeAt: Date

    public init(arrivesAt: Date, earliest: Date, latest: Date, madeAt: Date) {
        self.arrivesAt = arrivesAt
        self.earliest = earliest
        self.latest = latest
        self.madeAt = madeAt
    }

    /// Seconds to go, at least 0.
    public func remaining(at now: Date) -> Double { max(0, arrivesAt.timeIntervalSince(now)) }
}

/// Turns a track and a route into an estimate: a model's prediction at each fix, made steady and honest.
public struct ArrivalEstimator: Sendable {
    private let model: any TravelModel

    public init(model: any TravelModel = StraightLineModel()) {
        self.model = model
    }

    /// Share of the new arrival time that each 15 s let in: halves the jumps and reversals for a second of accuracy.
    private static let gain = 0.25
    private static let gainSeconds = 15.0
    /// Seconds of standing that are a traffic light and no news.
    private static let lightSeconds = 60.0
    /// Seconds that standing adds to the window at most; after two minutes, nine in ten stand less than three more.
    private static let standingSecondsMax = 180.0
    /// Seconds that silence adds to the window at most.
    private static let silentSecondsMax = 15.0 * 60

    /// When the courier will be at the route's door; nil before any fix can be believed.
    ///
    /// - Parameter since: when this leg began; fixes from before it speak of another way and are not smoothed in.
    public func estimate(_ track: CourierTrack, along route: Route, since: Date?, now: Date) -> ArrivalEstimate? {
        let believed = track.believed
        guard let last = believed.last else { return nil }
        let ofThisLeg = believed.filter { $0.time >= since ?? .distantPast }
        let clock = smoothedClock(ofThisLeg.isEmpty ? [last] : ofThisLeg, along: route)

        // A courier who should have arrived by now has not.
        let arrivesAt = max(clock, now)
        let remaining = arrivesAt.timeIntervalSince(now)
        let ratios = model.errorRatios(ofPredicted: max(remaining, Self.gainSeconds))
        let silence = min(max(0, now.timeIntervalSince(last.time) - track.usualInterval), Self.silentSecondsMax)
        let standing = min(max(0, track.standingSeconds - Self.lightSeconds), Self.standingSecondsMax)
        let early = remaining * ratios.low - silence / 2
        let late = max(remaining, Self.gainSeconds) * ratios.high + silence + standing
        return ArrivalEstimate(
            arrivesAt: arrivesAt, earliest: now.addingTimeInterval(min(max(0, early), remaining)),
            latest: now.addingTimeInterval(max(late, remaining)), madeAt: now)
    }

    /// The arrival time that each fix predicts, through a first-order filter over the time between fixes.
    private func smoothedClock(_ fixes: [Fix], along route: Route) -> Date {
        var clock = fixes[0].time.addingTimeInterval(model.seconds(from: fixes[0], along: route))
        for (former, fix) in zip(fixes, fixes.dropFirst()) {
            let predicted = fix.time.addingTimeInterval(model.seconds(from: fix, along: route))
            let periods = fix.time.timeIntervalSince(former.time) / Self.gainSeconds
            let share = 1 - pow(1 - Self.gain, periods)
            clock += share * predicted.timeIntervalSince(clock)
        }
        return clock
    }
}
