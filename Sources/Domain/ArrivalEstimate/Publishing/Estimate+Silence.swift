public import Foundation
public import OrderDomain

extension Estimate {
    /// Seconds of silence after which a courier is in trouble with a probability of 63 %.
    ///
    /// A judgement, and no measurement: recorded rides end where their phones do.
    private static let troubleSeconds = 15.0 * 60

    /// The probability that the arrival is after `end`, 0 to 1, for a courier who is silent since the newest fix.
    ///
    /// It never falls as the silence lasts: the courier may have stood since that fix, which delays the arrival by the
    /// whole silence, or may not come at all.
    /// - Parameter silenceSince: the time of the newest fix, or of the beginning of the stage where that is later.
    public func probability(after end: Date, silenceSince: Date, now: Date) -> Double {
        let silence = max(0, now.timeIntervalSince(silenceSince))
        let delayed = probability(after: end.addingTimeInterval(-silence))
        let trouble = 1 - exp(-max(0, silence - MilestoneDetector.silenceReportedAfter) / Self.troubleSeconds)
        return delayed + (1 - delayed) * trouble
    }
}
