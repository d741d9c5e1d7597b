package import Foundation

/// The day of a report: today, yesterday or a date, which each store has in its own time zone.
package enum ReportDay: RawRepresentable, Hashable, Sendable {
    case today, yesterday
    case date(year: Int, month: Int, day: Int)

    /// Nil for a text that is none of `today`, `yesterday` and `2026-11-21`.
    package init?(rawValue: String) {
        switch rawValue {
        case "today": self = .today
        case "yesterday": self = .yesterday
        default:
            let parts = rawValue.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
                let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
                DateComponents(year: year, month: month, day: day).isValidDate(in: .gregorian(in: .gmt))
            else { return nil }
            self = .date(year: year, month: month, day: day)
        }
    }

    package var rawValue: String {
        switch self {
        case .today: "today"
        case .yesterday: "yesterday"
        case .date(let year, let month, let day): Self.text(year, month, day)
        }
    }

    /// The day in a time zone; it has 23 or 25 hours where the clocks change.
    package func localDay(in timeZone: TimeZone, now: Date) -> LocalDay {
        let calendar = Calendar.gregorian(in: timeZone)
        // Every day has a noon, and not every day a midnight.
        let noon: Date =
            switch self {
            case .today: Self.noon(daysAfter: 0, now, calendar)
            case .yesterday: Self.noon(daysAfter: -1, now, calendar)
            case .date(let year, let month, let day):
                calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12)) ?? now
            }
        let fields = calendar.dateComponents([.year, .month, .day], from: noon)
        return LocalDay(
            date: Self.text(fields.year ?? 0, fields.month ?? 0, fields.day ?? 0),
            start: calendar.startOfDay(for: noon),
            end: calendar.startOfDay(for: Self.noon(daysAfter: 1, noon, calendar)))
    }

    private static func noon(daysAfter days: Int, _ date: Date, _ calendar: Calendar) -> Date {
        let fields = calendar.dateComponents([.year, .month, .day], from: date)
        let day = DateComponents(
            year: fields.year, month: fields.month, day: fields.day.map { $0 + days }, hour: 12)
        return calendar.date(from: day) ?? date
    }

    fileprivate static func text(_ year: Int, _ month: Int, _ day: Int) -> String {
        func padded(_ number: Int, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}

/// One calendar day of a time zone, from its first instant to the next day's.
package struct LocalDay: Hashable, Sendable {
    /// Such as `2026-11-21`.
    package let date: String
    package let start: Date
    package let end: Date

    package func contains(_ date: Date) -> Bool { start <= date && date < end }

    /// The date of a time in a time zone, such as `2026-11-21`.
    package static func date(of time: Date, in timeZone: TimeZone) -> String {
        let fields = Calendar.gregorian(in: timeZone).dateComponents([.year, .month, .day], from: time)
        return ReportDay.text(fields.year ?? 0, fields.month ?? 0, fields.day ?? 0)
    }
}

extension Calendar {
    /// The Gregorian calendar of a time zone.
    package static func gregorian(in timeZone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }
}
