import Foundation

/// The local time and date of a place.
struct ClockTime: Hashable {
    let minuteOfDay: Int
    /// Days since 1970-01-01 in that place; a Thursday.
    let day: Int

    init(_ epochSeconds: Int, in timeZone: TimeZone) {
        // The years 1 to 9999: what lies outside is no time of day that anybody means.
        let epochSeconds = min(max(epochSeconds, -62_135_596_800), 253_402_300_799)
        let date = Date(timeIntervalSince1970: TimeInterval(epochSeconds))
        let local = epochSeconds + timeZone.secondsFromGMT(for: date)
        day = Int((Double(local) / 86_400).rounded(.down))
        minuteOfDay = (local - day * 86_400) / 60
    }

    /// 24 hours, two digits each: `18:24`.
    var text: String {
        let hour = minuteOfDay / 60
        let minute = minuteOfDay % 60
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// 0 is Monday.
    var weekday: Int { ((day + 3) % 7 + 7) % 7 }

    /// The month from 1 and the day of it from 1, in the Gregorian calendar.
    ///
    /// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    var monthAndDay: (month: Int, day: Int) {
        let shifted = day + 719_468
        let era = Int((Double(shifted) / 146_097).rounded(.down))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        return (shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

/// A time zone by its IANA name; UTC where the device does not know the name.
func timeZone(named name: String) -> TimeZone { TimeZone(identifier: name) ?? .gmt }
