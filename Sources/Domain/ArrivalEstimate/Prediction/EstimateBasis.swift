public import Foundation
public import OrderDomain

/// The fix that an estimate was made from, by which the estimate is kept while newer fixes agree with it.
public struct EstimateBasis: Hashable, Sendable {
    /// Seconds after which another estimate is made in any case: a twelfth of the least change that is published
    /// (``PublishingPolicy/standard``).
    static let secondsMax = 5.0
    /// Metres by which a fix may differ from the estimate's progress: the radius of a phone that reports none
    /// (``CourierTrack``), or the fix's own radius where that is wider.
    static let metresMax = 25.0

    private let madeAt: Date
    private let fixAt: Date
    /// Metres from the fix to the next stop, and metres a second towards it as the estimate predicts them.
    private let metres: Double
    private let speed: Double
    private let stops: [Coordinate]

    /// Nil without a fix.
    ///
    /// - Parameter nextStopAt: the predicted arrival at the next stop.
    init?(of estimate: Estimate, from track: CourierTrack, along route: Route, nextStopAt: Date) {
        guard let latest = track.latest else { return nil }
        madeAt = estimate.madeAt
        fixAt = latest.time
        metres = latest.place.distance(to: route.next)
        speed = metres / max(1, nextStopAt.timeIntervalSince(latest.time))
        stops = route.stops.map(\.place)
    }

    /// Whether the estimate still holds: it is not older than five seconds, the stops are the same, and the newest fix
    /// is a newer one that is where the estimate predicts the courier.
    ///
    /// A fix that is no newer brought something late into the track, which the estimate lacks.
    public func agrees(with track: CourierTrack, along route: Route, now: Date) -> Bool {
        guard let latest = track.latest, latest.time > fixAt, now >= madeAt else { return false }
        let seconds = latest.time.timeIntervalSince(fixAt)
        guard max(seconds, now.timeIntervalSince(madeAt)) < Self.secondsMax,
            route.stops.lazy.map(\.place).elementsEqual(stops)
        else { return false }
        let predicted = max(0, metres - speed * seconds)
        return abs(latest.place.distance(to: route.next) - predicted) <= max(Self.metresMax, latest.accuracy ?? 0)
    }
}

extension ArrivalEstimator {
    /// The basis of an estimate that was made of this track; nil for a track without a fix.
    public func basis(of estimate: Estimate, from track: CourierTrack, along route: Route) -> EstimateBasis? {
        EstimateBasis(
            of: estimate, from: track, along: route,
            nextStopAt: estimate.arrivesAt.addingTimeInterval(-tailSeconds(of: route, now: estimate.madeAt)))
    }
}
