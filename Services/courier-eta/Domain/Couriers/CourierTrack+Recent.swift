import ArrivalEstimate
import Foundation

extension CourierTrack {
    /// Seconds after which the newest fix is no evidence of where the courier is now.
    private static let recentSecondsMax = 30.0 * 60

    /// The newest fix while it shows where the courier is; nil where it is older than half an hour.
    func recentFix(at now: Date) -> Fix? {
        latest.flatMap { now.timeIntervalSince($0.time) <= Self.recentSecondsMax ? $0 : nil }
    }
}
