package import Foundation
internal import LiveActivity

/// The format of times for operators: all in the store's zone, as ``LiveActivity/WrittenTime`` decides.
package struct StoreTimes: Sendable {
    package let timeZone: TimeZone
    /// Domain time.
    package let now: Date

    /// - Parameter now: domain time.
    package init(timeZone: TimeZone, now: Date) {
        self.timeZone = timeZone
        self.now = now
    }

    /// - Parameter timeZone: an IANA name; one that is not known here counts as UTC.
    package init(timeZone: String, now: Date) {
        self.init(timeZone: TimeZone(identifier: timeZone) ?? .gmt, now: now)
    }

    /// `UTC`, or the zone's IANA name.
    package var zoneName: String { timeZone == .gmt ? "UTC" : timeZone.identifier }

    /// Whether a time is written without its day.
    package func isToday(_ date: Date) -> Bool {
        WrittenTime(Self.seconds(date), in: timeZone, now: Self.seconds(now)).day == nil
    }

    /// `18:24`, `18:24:07` with seconds, or `23 Nov 18:24` on another day than today.
    package func text(_ date: Date, withSeconds: Bool = false) -> String {
        text(date, after: nil, withSeconds: withSeconds)
    }

    /// `18:24 to 18:31`, or `23 Nov 18:24 to 18:31`; the end has a day where it is not that of the start.
    package func text(from start: Date, to end: Date, joinedBy word: String = " to ") -> String {
        text(start) + word + text(end, after: start)
    }

    /// - Parameter earlier: the time before it in the same text.
    package func text(_ date: Date, after earlier: Date?, withSeconds: Bool = false) -> String {
        let written = WrittenTime(
            Self.seconds(date), in: timeZone, now: Self.seconds(now), after: earlier.map(Self.seconds),
            withSeconds: withSeconds)
        return (written.day.map { Self.text($0) + " " } ?? "") + written.clock
    }

    private static func text(_ day: WrittenTime.Day) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(day.day) \(months[day.month - 1])" + (day.year.map { " \($0)" } ?? "")
    }

    private static func seconds(_ date: Date) -> Int {
        Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
    }
}
