import Foundation

/// The progress of the roll-up, and the span that is due next.
///
/// An hour is counted a quarter of an hour after its end, from what is known by then. A day of UTC is counted as a whole
/// once no report of an app can change it any more, and replaces its hours.
struct TotalsSchedule: Hashable, Sendable {
    static let hour: TimeInterval = 3_600
    static let day: TimeInterval = 24 * hour
    /// Seconds after its end at which an hour is counted: an end that is committed late is in it.
    static let hourIsDueAfter: TimeInterval = 15 * 60
    /// Seconds after its end at which a day is counted: cards have left their screens, and reports count for a day.
    static let dayIsDueAfter: TimeInterval = 26 * hour

    /// Everything that ended before is counted.
    private(set) var countedUntil: Date
    /// Everything that ended before is counted for good.
    private(set) var finalUntil: Date

    /// A span of domain time to count.
    struct Span: Hashable, Sendable {
        let start: Date
        let end: Date

        /// Whether it is a day, which replaces its hours.
        var isFinal: Bool { end.timeIntervalSince(start) > hour }

        func contains(_ date: Date) -> Bool { start <= date && date < end }
    }
}

extension TotalsSchedule {
    /// The beginning, for a first ended activity at this time.
    init(startingAt date: Date) {
        let seconds = (date.timeIntervalSince1970 / Self.day).rounded(.down) * Self.day
        self.init(
            countedUntil: Date(timeIntervalSince1970: seconds), finalUntil: Date(timeIntervalSince1970: seconds))
    }

    /// The span that is due; nil while none is.
    func due(at now: Date) -> Span? {
        let day = Span(start: finalUntil, end: finalUntil.addingTimeInterval(Self.day))
        if day.end.addingTimeInterval(Self.dayIsDueAfter) <= now { return day }
        let hour = Span(start: countedUntil, end: countedUntil.addingTimeInterval(Self.hour))
        return hour.end.addingTimeInterval(Self.hourIsDueAfter) <= now ? hour : nil
    }

    /// The progress once a span is counted.
    func after(_ span: Span) -> TotalsSchedule {
        TotalsSchedule(
            countedUntil: max(countedUntil, span.end), finalUntil: span.isFinal ? span.end : finalUntil)
    }
}
