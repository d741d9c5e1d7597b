import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain

/// Decides what is published to screens: pure, with the policy's hysteresis.
struct PublicationDecision: Sendable {
    var policy = PublishingPolicy.standard

    /// Seconds by which a refresh must prolong what screens show.
    static let freshSecondsMin = 60.0

    /// The estimate to publish in place of the published one; nil where that stays.
    ///
    /// - Parameters:
    ///   - isForced: whether `estimate` is published without hysteresis, as the first one with a fix is.
    ///   - hasOtherStops: whether other stops come before the delivery than when `published` was made.
    func estimate(
        _ estimate: Estimate, over published: Estimate?, milestones: [Milestone], isForced: Bool,
        hasOtherStops: Bool = false
    ) -> Estimate? {
        if hasOtherStops, let published, policy.shouldPublish(estimate, afterOtherStopsThan: published) {
            return estimate
        }
        if isForced || policy.shouldPublish(estimate, over: published, isUrgent: milestones.contains(where: \.isUrgent))
        {
            return estimate
        }
        return published.flatMap { policy.tightened($0, by: estimate) }
    }

    /// The end of the window that screens show for an estimate.
    func windowEnd(of published: Estimate) -> Date { Date(timeIntervalSince1970: Double(Window(shown: published).to)) }

    /// Whether the shown window is over: no other window replaces it while a courier is silent.
    func isOver(_ published: Estimate?, at now: Date) -> Bool { published.map { now >= windowEnd(of: $0) } ?? false }

    /// Whether screens would become stale with a correct estimate: less than half of the time is left that a refresh
    /// would give.
    func isRefreshDue(_ tracking: TrackingState, now: Date) -> Bool {
        guard !tracking.detector.isSilent, let shown = tracking.lastPublished.freshUntil,
            let next = tracking.freshUntil, next.timeIntervalSince(shown) >= Self.freshSecondsMin
        else { return false }
        return shown.timeIntervalSince(now) < next.timeIntervalSince(now) / 2
    }
}
