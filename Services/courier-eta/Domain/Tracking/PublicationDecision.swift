import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain

/// Decides what is published to screens: pure, with the policy's hysteresis.
struct PublicationDecision: Sendable {
    var policy = PublishingPolicy.standard

    /// Seconds by which a refresh must prolong what screens show, but for the last one before the window's end.
    static let freshSecondsMin = 60.0
    /// Seconds by which the newest window must end later to replace one that is about to end.
    static let endingSecondsMin = 5.0

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

    /// Whether the shown window ends within one and a half of the phone's usual intervals, a minute at least, and the
    /// newest estimate's later: no later fix may be in time to replace it before screens become stale.
    func isEnding(_ tracking: TrackingState, now: Date) -> Bool {
        guard tracking.lastFixAt != nil, let shown = tracking.shown, let newest = tracking.estimate
        else { return false }
        let silentAfter = tracking.silentAfter ?? CourierTrack().silentAfter
        return shown.latest.timeIntervalSince(now) < silentAfter / 2
            && newest.latest.timeIntervalSince(shown.latest) >= Self.endingSecondsMin
    }

    /// Whether screens would become stale with a correct estimate: less than half of the time is left that a refresh
    /// would give, or less than a minute where the window's end leaves less to give.
    func isRefreshDue(_ tracking: TrackingState, now: Date) -> Bool {
        guard !tracking.detector.isSilent, let shown = tracking.lastPublished.freshUntil,
            let next = tracking.freshUntil
        else { return false }
        let (gain, left) = (next.timeIntervalSince(shown), shown.timeIntervalSince(now))
        return gain >= Self.freshSecondsMin
            ? left < next.timeIntervalSince(now) / 2 : gain >= 1 && left < Self.freshSecondsMin
    }
}
