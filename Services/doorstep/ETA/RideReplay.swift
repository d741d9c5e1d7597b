import ArrivalEstimate
import Foundation
import OrderDomain

/// Replays a recorded ride through the estimator that the service runs, in simulated time: at every fix and every 15 s.
struct RideReplay {
    let estimator: ArrivalEstimator
    var policy = PublishingPolicy.standard

    /// Seconds between two evaluations without a fix.
    static let tickSeconds = 15.0
    /// Seconds after the last fix at which the replay ends.
    static let tailSeconds = 600.0

    struct Row {
        let time: Date
        let estimate: Estimate
        let isPublished: Bool
    }

    func callAsFunction(_ ride: RideFolder.Ride) -> [Row] {
        var route = Route(mode: ride.mode, through: [], to: ride.door)
        route.origin = ride.origin
        route.utcOffset = ride.utcOffset
        var track = CourierTrack()
        var milestones = MilestoneDetector()
        var shown: Estimate?
        var last: (estimate: Estimate, basis: EstimateBasis?)?
        var rows: [Row] = []
        var next = ride.received.startIndex
        for now in moments(of: ride) {
            while next < ride.received.endIndex, ride.received[next].receivedAt <= now {
                // The replayed track ignores the same fixes as the live track, for the same reason.
                _ = try? track.insert(ride.received[next].fix, receivedAt: now)
                next += 1
            }
            if last?.basis?.agrees(with: track, along: route, now: now) != true {
                last = estimator.estimate(track, along: route, since: ride.start, now: now).map {
                    ($0, estimator.basis(of: $0, from: track, along: route))
                }
            }
            guard let estimate = last?.estimate else { continue }
            let input = MilestoneInput(
                mode: ride.mode, stage: .carrying, stageSince: ride.start, store: ride.origin ?? ride.door,
                door: ride.door,
                isNextStop: true, promiseEnd: .distantFuture, track: track, estimate: estimate, now: now)
            let news = milestones.detect(input)
            let isPublished = policy.shouldPublish(estimate, over: shown, isUrgent: news.contains { $0.isUrgent })
            if isPublished {
                shown = estimate
            } else if let tighter = shown.flatMap({ policy.tightened($0, by: estimate) }) {
                // The published arrival stays, in the tighter window.
                shown = tighter
            }
            rows.append(Row(time: now, estimate: estimate, isPublished: isPublished))
        }
        return rows
    }

    /// The start, every tick and every fix, in order and without repeats.
    private func moments(of ride: RideFolder.Ride) -> [Date] {
        let received = ride.received.map(\.receivedAt).filter { $0 >= ride.start }
        let last = min(received.last ?? ride.start, ride.start.addingTimeInterval(86_400))
        let ticks = stride(
            from: ride.start, through: last.addingTimeInterval(Self.tailSeconds), by: Self.tickSeconds)
        return Set(received + Array(ticks)).sorted()
    }
}
