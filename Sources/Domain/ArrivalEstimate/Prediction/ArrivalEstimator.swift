public import Foundation
public import OrderDomain

/// Turns a track and a route into an estimate: a model's prediction, smoothed, with a calibrated interval.
public struct ArrivalEstimator: Sendable {
    public let model: ArrivalModel

    public init(model: ArrivalModel = .builtIn) {
        self.model = model
    }

    /// Share by which silence that is longer than in the training data widens the window, and the silence that counts.
    private static let silenceShare = 0.5
    private static let silentSecondsMax = 15.0 * 60
    /// Seconds of standing that a traffic light explains, and the most that standing adds to the window.
    private static let lightSeconds = 60.0
    private static let standingSecondsMax = 180.0
    /// The uncertainty of the time between later stops, as shares of that time.
    static let tailLow = 0.35
    static let tailHigh = 0.6

    /// The arrival at the route's last stop; nil with neither a fix nor a known beginning.
    ///
    /// - Parameter since: the leg's beginning; earlier fixes belong to another leg.
    public func estimate(_ track: CourierTrack, along route: Route, since: Date?, now: Date) -> Estimate? {
        let believed = track.believed.filter { $0.time <= now.addingTimeInterval(FixLimits.futureSecondsMax) }
        let ofThisLeg = believed.filter { $0.time >= since ?? .distantPast }
        // The last fix before the leg is where it began, if nothing better is known.
        let fixes = ofThisLeg.isEmpty && route.origin == nil ? Array(believed.suffix(1)) : ofThisLeg
        guard !fixes.isEmpty || route.origin != nil else { return nil }
        let beginning = min(since ?? fixes[0].time, now)

        // What passed between that fix and the beginning was no ride, but it is silence.
        let placed = ofThisLeg.isEmpty ? fixes.map { Fix(time: max($0.time, beginning), place: $0.place) } : fixes
        let measured = MeasuredFixes(placed, door: route.next)
        let features = features(measured, count: fixes.count, along: route, since: beginning, now: now)
        var prediction = model.regression.prediction(of: features)
        let smoothed = smoothedPoint(measured, along: route, since: beginning, now: now, newest: prediction.point)
        let (silence, standing) = unlearned(track, since: fixes.last?.time ?? beginning, now: now)
        let opening = min(max(0, silence), Self.silentSecondsMax) * Self.silenceShare
        // The window is that of the newest prediction; only the point is smoothed, and the window always holds it.
        prediction.low = max(0, min(prediction.low, smoothed) - opening)
        prediction.high = max(prediction.high, smoothed) + opening + standing

        let tail = tailSeconds(of: route, now: now)
        let early = smoothed + tail - hypot(smoothed - min(prediction.low, smoothed), tail * Self.tailLow)
        let late = smoothed + tail + hypot(max(prediction.high, smoothed) - smoothed, tail * Self.tailHigh)
        return Estimate(
            arrivesAt: now.addingTimeInterval(smoothed + tail), earliest: now.addingTimeInterval(max(0, early)),
            latest: now.addingTimeInterval(late), madeAt: now)
    }

    /// Seconds of silence and of standing that the regression has no feature for.
    private func unlearned(_ track: CourierTrack, since: Date, now: Date) -> (silence: Double, standing: Double) {
        let silence = now.timeIntervalSince(since)
        guard !model.regression.usesFeatures else { return (silence - LegFeatures.learnedSilence, 0) }
        let standing = track.standingSeconds - Self.lightSeconds
        return (silence - track.usualInterval, min(max(0, standing), Self.standingSecondsMax))
    }

    private func features(
        _ fixes: MeasuredFixes, count: Int, along route: Route, since: Date, now: Date
    ) -> LegFeatures {
        LegFeatures(
            fixes, count: count, along: route, since: since, prior: model.prior, now: now,
            isBaseOnly: !model.regression.hasTrees)
    }

    /// Seconds to the next stop, smoothed over the predictions of the last 90 s.
    private func smoothedPoint(
        _ fixes: MeasuredFixes, along route: Route, since: Date, now: Date, newest: Double
    ) -> Double {
        var arrivals = [newest]
        for step in 1...ArrivalSmoothing.stepsMax {
            let back = Double(step) * ArrivalSmoothing.stepSeconds
            let then = now.addingTimeInterval(-back)
            guard then >= since else { break }
            let count = fixes.count(until: then)
            guard count > 0 || route.origin != nil else { break }
            let features = features(fixes, count: count, along: route, since: since, now: then)
            arrivals.append(model.regression.point(of: features) - back)
        }
        return max(0, ArrivalSmoothing.smoothed(arrivals))
    }

    /// Seconds from the next stop to the last one, dwell times included; 0 where the next one is the last.
    func tailSeconds(of route: Route, now: Date) -> Double {
        zip(route.stops, route.stops.dropFirst()).reduce(0) { sum, legs in
            sum + seconds(from: legs.0, to: legs.1.place, along: route, now: now)
        }
    }

    /// Seconds from the arrival at one stop to the arrival at the next: the dwell and the ride.
    func seconds(from stop: Route.Stop, to next: Coordinate, along route: Route, now: Date) -> Double {
        let hour = model.prior.factor(route.mode, hour: route.hour(at: now))
        return stop.dwellSeconds + model.prior.seconds(route.mode, metres: stop.place.distance(to: next)) * hour
    }
}
