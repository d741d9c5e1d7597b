public import Foundation

/// Turns a track and a route into an estimate: a model's prediction, made steady and honest.
public struct ArrivalEstimator: Sendable {
    public let model: ArrivalModel

    public init(model: ArrivalModel = .builtIn) {
        self.model = model
    }

    /// Silence longer than rides taught opens the window by this share of itself.
    private static let silenceShare = 0.5
    private static let silentSecondsMax = 15.0 * 60
    /// Seconds of standing that are a traffic light, and what standing adds to the window at most.
    private static let lightSeconds = 60.0
    private static let standingSecondsMax = 180.0
    /// How uncertain the way between later stops is, as shares of it.
    static let tailLow = 0.35
    static let tailHigh = 0.6

    /// When the courier will be at the route's last stop; nil with neither a fix nor a known beginning.
    ///
    /// - Parameter since: when this leg began; fixes from before it speak of another way.
    public func estimate(_ track: CourierTrack, along route: Route, since: Date?, now: Date) -> ArrivalEstimate? {
        let believed = track.believed.filter { $0.time <= now.addingTimeInterval(CourierTrack.futureSecondsMax) }
        let ofThisLeg = believed.filter { $0.time >= since ?? .distantPast }
        // The last word from before the leg is where it began, if nothing better is known.
        let fixes = ofThisLeg.isEmpty && route.origin == nil ? Array(believed.suffix(1)) : ofThisLeg
        guard !fixes.isEmpty || route.origin != nil else { return nil }
        let beginning = min(since ?? fixes[0].time, now)

        let progress = progress(fixes, along: route, since: beginning, now: now)
        var prediction = model.regression.prediction(of: progress)
        let steady = steadyPoint(fixes, along: route, since: beginning, now: now, newest: prediction.point)
        let (silence, standing) = untaught(track, since: fixes.last?.time ?? beginning, now: now)
        let opening = min(max(0, silence), Self.silentSecondsMax) * Self.silenceShare
        // The window is the newest word, only the point waits for more; an end gives way to it.
        prediction.low = max(0, min(prediction.low, steady) - opening)
        prediction.high = max(prediction.high, steady) + opening + standing

        let tail = tailSeconds(of: route, now: now)
        let early = steady + tail - hypot(steady - min(prediction.low, steady), tail * Self.tailLow)
        let late = steady + tail + hypot(max(prediction.high, steady) - steady, tail * Self.tailHigh)
        return ArrivalEstimate(
            arrivesAt: now.addingTimeInterval(steady + tail), earliest: now.addingTimeInterval(max(0, early)),
            latest: now.addingTimeInterval(late), madeAt: now)
    }

    /// Seconds of silence and of standing that the regression does not know about.
    private func untaught(_ track: CourierTrack, since: Date, now: Date) -> (silence: Double, standing: Double) {
        let silence = now.timeIntervalSince(since)
        guard !model.regression.seesProgress else { return (silence - Progress.taughtSilence, 0) }
        let standing = track.standingSeconds - Self.lightSeconds
        return (silence - track.usualInterval, min(max(0, standing), Self.standingSecondsMax))
    }

    private func progress(_ fixes: [Fix], along route: Route, since: Date, now: Date) -> Progress {
        Progress(fixes, along: route, since: since, prior: model.prior, now: now)
    }

    /// Seconds to the next stop, through the filter on the arrival clock.
    private func steadyPoint(_ fixes: [Fix], along route: Route, since: Date, now: Date, newest: Double) -> Double {
        var arrivals = [newest]
        for step in 1...ArrivalClock.stepsMax {
            let back = Double(step) * ArrivalClock.stepSeconds
            let then = now.addingTimeInterval(-back)
            guard then >= since else { break }
            let seen = fixes.filter { $0.time <= then }
            guard !seen.isEmpty || route.origin != nil else { break }
            let progress = progress(seen, along: route, since: since, now: then)
            arrivals.append(model.regression.point(of: progress) - back)
        }
        return max(0, ArrivalClock.filtered(arrivals))
    }

    /// Seconds from the next stop to the last one, stays included; 0 where the next one is the last.
    func tailSeconds(of route: Route, now: Date) -> Double {
        let hour = model.prior.factor(route.mode, hour: route.hour(at: now))
        return zip(route.stops, route.stops.dropFirst()).reduce(0) { seconds, legs in
            let metres = legs.0.place.distance(to: legs.1.place)
            return seconds + legs.0.staySeconds + model.prior.seconds(route.mode, metres: metres) * hour
        }
    }
}
