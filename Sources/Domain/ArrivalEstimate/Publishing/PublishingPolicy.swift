import Foundation
public import OrderDomain

/// Decides which estimates are published: hysteresis in favour of a steady screen.
///
/// Its effect on recorded rides, and its cost, is in docs/eta.md.
public struct PublishingPolicy: Hashable, Sendable {
    /// Seconds that the arrival must have moved.
    public let changeSeconds: Double
    /// Share of the remaining time that it must have moved, where that is more; ten minutes at most.
    public let changeShare: Double
    /// Seconds between two changes.
    public let spacingSeconds: Double

    /// Seconds of a move that is published however far off the arrival is: readers of the published estimate and of the
    /// newest one differ by less.
    private static let changeSecondsMax = 600.0

    /// A window is tightened when it has narrowed to this share of the shown width and by these seconds, and no sooner
    /// than the spacing in seconds after the last change.
    private static let tighterShare = 0.6
    private static let tighterSeconds = 120.0
    private static let tighterSpacingSeconds = 60.0

    public static let standard = PublishingPolicy(changeSeconds: 60, changeShare: 0.25, spacingSeconds: 30)

    /// Whether to publish `new` in place of `shown`.
    ///
    /// - Parameter isUrgent: a milestone such as `arriving` was reached: the spacing does not apply.
    public func shouldPublish(_ new: Estimate, over shown: Estimate?, isUrgent: Bool) -> Bool {
        guard let shown else { return true }
        guard new.madeAt >= shown.madeAt else { return false }
        guard isUrgent || new.madeAt.timeIntervalSince(shown.madeAt) >= spacingSeconds else { return false }
        if new.arrivesAt > shown.latest || new.madeAt > shown.latest { return true }
        let remaining = max(new.remaining(at: new.madeAt), shown.remaining(at: new.madeAt))
        let share = min(changeShare * remaining, Self.changeSecondsMax)
        return moved(from: shown, to: new) >= max(changeSeconds, share)
    }

    /// Whether `new`, with other stops before it, replaces `shown`: that was of another trip, so that neither the share
    /// nor the spacing applies.
    public func shouldPublish(_ new: Estimate, afterOtherStopsThan shown: Estimate) -> Bool {
        new.madeAt >= shown.madeAt && moved(from: shown, to: new) >= changeSeconds
    }

    /// Seconds between the two arrivals.
    private func moved(from shown: Estimate, to new: Estimate) -> Double {
        abs(new.arrivesAt.timeIntervalSince(shown.arrivesAt))
    }

    /// The shown arrival with the tighter window of `new`; nil where `new` is not much tighter.
    ///
    /// The result contradicts no published window: the new window lies within the shown one and contains the shown
    /// arrival.
    public func tightened(_ shown: Estimate, by new: Estimate) -> Estimate? {
        guard new.madeAt.timeIntervalSince(shown.madeAt) >= Self.tighterSpacingSeconds,
            shown.earliest <= new.earliest, new.earliest <= shown.arrivesAt, shown.arrivesAt <= new.latest,
            new.latest <= shown.latest
        else { return nil }
        let shownWidth = shown.latest.timeIntervalSince(shown.earliest)
        let width = new.latest.timeIntervalSince(new.earliest)
        guard width <= Self.tighterShare * shownWidth, shownWidth - width >= Self.tighterSeconds else { return nil }
        return Estimate(
            arrivesAt: shown.arrivesAt, earliest: new.earliest, latest: new.latest, madeAt: new.madeAt)
    }
}
