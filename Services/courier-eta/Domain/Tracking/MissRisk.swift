import ArrivalEstimate
import Foundation
import OrderDomain

/// The risk that a promise is missed, and when operators receive a change of it: pure.
enum MissRisk {
    /// Change of the probability that is worth a report.
    static let changeMin = 0.1
    /// Seconds between two reports: close to the end of the promise ten points are noise of the estimate.
    static let spacingSeconds = 30.0

    /// The probability that the promise is missed, 0 to 1; 1 once it has passed, and rising while the courier is silent.
    ///
    /// - Parameter silenceSince: the time of a silent courier's newest fix; nil for a courier who is not silent.
    static func probability(
        of estimate: Estimate, promiseEnd: Date, silenceSince: Date? = nil, now: Date
    ) -> Double {
        if now >= promiseEnd { return 1 }
        guard let silenceSince else { return estimate.probability(after: promiseEnd) }
        return estimate.probability(after: promiseEnd, silenceSince: silenceSince, now: now)
    }

    /// Whether the probability has changed enough since it was last published, and the last report is long enough ago.
    static func isReportDue(_ tracking: TrackingState, now: Date) -> Bool {
        if let reported = tracking.riskReportedAt, now.timeIntervalSince(reported) < spacingSeconds { return false }
        let published = tracking.lastPublished.missProbability ?? 0
        return abs((tracking.missProbability ?? 0) - published) >= changeMin
    }
}
