import Foundation

/// Postgres's `timestamptz`, exact to its microsecond.
enum Timestamp {
    /// Seconds from 2000-01-01, the epoch of Postgres, to 2001-01-01, the epoch of `Date`: a leap year.
    private static let secondsTo2001 = 366 * 86_400
    private static let microsecondsPerSecond = 1_000_000

    /// Postgres's binary form of the moment; nil when out of range (4714 BC to 294276 AD) or not a number.
    static func microseconds(since2000Of date: Date) -> Int64? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.isFinite, seconds > -211_845_024_000, seconds < 9_223_339_708_800 else { return nil }
        // Whole seconds and the rest apart: multiplying both at once would round twice.
        let whole = seconds.rounded(.down)
        let rest = ((seconds - whole) * Double(microsecondsPerSecond)).rounded()
        return (Int64(whole) + Int64(secondsTo2001)) * Int64(microsecondsPerSecond) + Int64(rest)
    }

    /// The moment in ISO text as Postgres prints it, such as `2026-11-21 09:05:42.123456+00`.
    ///
    /// - Returns: nil for anything else, `infinity` included.
    static func date(_ text: String) -> Date? {
        var reader = Reader(text)
        guard var year = reader.number(digitsMax: 6), reader.skip("-"),
            let month = reader.number(digitsMax: 2), reader.skip("-"),
            let day = reader.number(digitsMax: 2), reader.skip(" "),
            let hour = reader.number(digitsMax: 2), reader.skip(":"),
            let minute = reader.number(digitsMax: 2), reader.skip(":"),
            let second = reader.number(digitsMax: 2)
        else { return nil }
        let microsecond: Int
        if reader.skip(".") {
            guard let fraction = reader.fraction() else { return nil }
            microsecond = fraction
        } else {
            microsecond = 0
        }
        guard let offset = reader.offsetSeconds() else { return nil }
        if reader.skip(" ") {
            guard reader.skip("B"), reader.skip("C") else { return nil }
            year = 1 - year
        }
        guard reader.isAtEnd else { return nil }
        let seconds =
            daysSince2000(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
            - secondsTo2001
        let microseconds = seconds * microsecondsPerSecond + microsecond
        return Date(timeIntervalSinceReferenceDate: Double(microseconds) / Double(microsecondsPerSecond))
    }

    /// Days from 2000-01-01 in the proleptic Gregorian calendar, counting years from March so that leap days come last.
    private static func daysSince2000(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 730_425
    }

    private struct Reader {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = text[...].utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(digitsMax: Int) -> Int? {
            var value = 0
            var digits = 0
            while digits < digitsMax, let byte = rest.first, byte >= 0x30, byte <= 0x39 {
                value = value * 10 + Int(byte - 0x30)
                digits += 1
                rest.removeFirst()
            }
            return digits > 0 ? value : nil
        }

        /// Up to six digits after the point, in microseconds.
        mutating func fraction() -> Int? {
            let before = rest.count
            guard var value = number(digitsMax: 6) else { return nil }
            for _ in (before - rest.count)..<6 { value *= 10 }
            return value
        }

        /// `+00`, `-03:30` or `+00:19:32`, in seconds east of UTC.
        mutating func offsetSeconds() -> Int? {
            let sign: Int
            if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
            guard var seconds = number(digitsMax: 2).map({ $0 * 3_600 }) else { return nil }
            for unit in [60, 1] where skip(":") {
                guard let value = number(digitsMax: 2) else { return nil }
                seconds += value * unit
            }
            return sign * seconds
        }
    }
}
