public import Foundation
import OrderDomain

/// Thresholds of a stop away from every known stop: detected early, shown once it is longer than a traffic light.
enum UnexpectedStop {
    /// Seconds within a circle of 40 m from which a stop is detected; half of them end within 30 s more.
    static let detectedSeconds = 120.0
    /// Seconds from which a stop is reported to the customer; nine in ten have ended by then.
    static let reportedSeconds = 240.0
    /// Metres around a stop within which standing is work: parking, walking, waiting, handing over.
    static let stopMetres = 150.0
}

extension MilestoneInput {
    /// The beginning of the courier's stop at the newest fix; nil while moving, and near any known stop.
    var stoppedSince: Date? {
        switch stage {
        case .assigned, .atDoor, .returning: return nil
        case .toStore, .carrying: break
        }
        guard let latest = track.latest, latest.time >= stageSince else { return nil }
        let since = max(latest.time.addingTimeInterval(-track.standingSeconds), stageSince, stopsSince ?? stageSince)
        guard latest.time.timeIntervalSince(since) >= UnexpectedStop.detectedSeconds else { return nil }
        let stops = [store, door] + otherStops
        return stops.allSatisfy { latest.place.distance(to: $0) > UnexpectedStop.stopMetres } ? since : nil
    }
}

extension MilestoneDetector {
    /// `standing` and `moving`, each once; a stop keeps its first moment until the courier moves.
    mutating func detectStop(_ input: MilestoneInput) -> Milestone? {
        let since = input.stoppedSince
        defer { stoppedSince = since == nil ? nil : stoppedSince ?? since }
        switch (stoppedSince, since) {
        case (nil, .some): return .standing
        case (.some, nil): return .moving
        case (nil, nil), (.some, .some): return nil
        }
    }

    /// Since when the courier stands still, once that is long enough to report to the customer.
    ///
    /// - Parameter lastFixAt: the time of the newest fix: silence is not standing.
    public func reportableStop(lastFixAt: Date?) -> Date? {
        guard let stoppedSince, let lastFixAt,
            lastFixAt.timeIntervalSince(stoppedSince) >= UnexpectedStop.reportedSeconds
        else {
            return nil
        }
        return stoppedSince
    }
}
