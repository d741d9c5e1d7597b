import Foundation

/// The local time and date of a place.
struct ClockTime: Hashable {
    /// The second within the day, from 0.
    let second: Int
    /// Days since 1970-01-01 in that place; a Thursday.
    let day: Int
    /// The offset from UTC, in seconds, positive east.
    let offset: Int

    init(_ epochSeconds: Int, in timeZone: TimeZone) {
        let epochSeconds = Self.clamped(epochSeconds)
        offset = Self.offset(epochSeconds, in: timeZone)
        let local = epochSeconds + offset
        day = Int((Double(local) / Double(Self.secondsPerDay)).rounded(.down))
        second = local - day * Self.secondsPerDay
    }

    /// 24 hours, two digits each: `18:24`, or `18:24:07` with seconds.
    func text(withSeconds: Bool = false) -> String {
        let shown = [second / 3600, second / 60 % 60] + (withSeconds ? [second % 60] : [])
        return shown.map { "\($0 < 10 ? "0" : "")\($0)" }.joined(separator: ":")
    }

    /// 12 hours without the half of the day: `6:24`, and `12:05` after midnight and after noon.
    var textOf12Hours: String {
        let (hour, minute) = (second / 3600, second / 60 % 60)
        return "\(hour % 12 == 0 ? 12 : hour % 12):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// Whether it is before noon.
    var isMorning: Bool { second < Self.secondsPerDay / 2 }

    /// 0 is Monday.
    var weekday: Int { ((day + 3) % 7 + 7) % 7 }

    /// The year, the month from 1 and the day of it from 1, in the Gregorian calendar.
    ///
    /// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    var date: (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = Int((Double(shifted) / 146_097).rounded(.down))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Whether the clocks of the place show this time twice, because they are set back.
    ///
    /// It holds for both times. A time zone changes its offset by less than a day, and not twice in two days.
    static func comesTwice(_ epochSeconds: Int, in timeZone: TimeZone) -> Bool {
        let epochSeconds = clamped(epochSeconds)
        let own = offset(epochSeconds, in: timeZone)
        return [-secondsPerDay, secondsPerDay].contains { distance in
            let other = offset(epochSeconds + distance, in: timeZone)
            return other != own && offset(epochSeconds + own - other, in: timeZone) == other
        }
    }

    private static let secondsPerDay = 86_400

    private static func offset(_ epochSeconds: Int, in timeZone: TimeZone) -> Int {
        timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(epochSeconds)))
    }

    /// Clamps to the years 1 to 9999: times outside are mistakes.
    private static func clamped(_ epochSeconds: Int) -> Int { min(max(epochSeconds, -62_135_596_800), 253_402_300_799) }
}

/// A time zone by its IANA name; UTC where the device does not know the name.
func timeZone(named name: String) -> TimeZone { TimeZone(identifier: name) ?? .gmt }
