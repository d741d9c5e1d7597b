import Foundation

/// Decides which estimates are worth showing: steady beats precise.
///
/// How calm that is on recorded rides, and what it costs, is in docs/eta.md.
public struct PublishingPolicy: Hashable, Sendable {
    /// Seconds that the arrival must have moved.
    public let changeSeconds: Double
    /// Share of the remaining time that it must have moved, where that is more.
    public let changeShare: Double
    /// Seconds between two changes.
    public let spacingSeconds: Double

    public static let standard = PublishingPolicy(changeSeconds: 60, changeShare: 0.25, spacingSeconds: 30)

    public init(changeSeconds: Double, changeShare: Double, spacingSeconds: Double) {
        self.changeSeconds = changeSeconds
        self.changeShare = changeShare
        self.spacingSeconds = spacingSeconds
    }

    /// Whether to show `new` in place of `shown`.
    ///
    /// - Parameter isNews: something happened that people look up for, such as a milestone: it need not wait then.
    public func shouldPublish(_ new: ArrivalEstimate, over shown: ArrivalEstimate?, isNews: Bool) -> Bool {
        guard let shown else { return true }
        guard new.madeAt >= shown.madeAt else { return false }
        guard isNews || new.madeAt.timeIntervalSince(shown.madeAt) >= spacingSeconds else { return false }
        if new.arrivesAt > shown.latest || new.madeAt > shown.latest { return true }
        let moved = abs(new.arrivesAt.timeIntervalSince(shown.arrivesAt))
        let remaining = max(new.remaining(at: new.madeAt), shown.remaining(at: new.madeAt))
        return moved >= max(changeSeconds, changeShare * remaining)
    }
}
