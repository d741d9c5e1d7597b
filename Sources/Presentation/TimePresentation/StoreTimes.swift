package import Foundation

/// How operators read times: all in one zone, that of the store, with the date where it is not today.
package struct StoreTimes: Sendable {
    package let timeZone: TimeZone
    private let now: Date

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

    /// `18:24`, or `23 Nov 18:24` on another day than today.
    package func text(_ date: Date, withSeconds: Bool = false) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let clock = date.clock(in: timeZone, withSeconds: withSeconds)
        guard !calendar.isDate(date, inSameDayAs: now) else { return clock }
        let parts = calendar.dateComponents([.day, .month], from: date)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(parts.day ?? 0) \(months[(parts.month ?? 1) - 1]) \(clock)"
    }
}
