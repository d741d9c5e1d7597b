/// A time of the years 1970 to 9999 in wire format, `2026-11-21T18:24:00.250Z`, parsed and formatted without a
/// calendar.
struct WireTime {
    /// Whole milliseconds since 1970.
    let milliseconds: Double

    /// Nil outside of those years.
    init?(milliseconds: Double) {
        guard (0..<Self.end).contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
    }

    /// Nil for any other form, and for a day that is in no month.
    init?(_ text: String) {
        var text = text
        let parsed = text.withUTF8 { Self.parse($0) }
        guard let parsed else { return nil }
        self.init(milliseconds: Double(parsed))
    }

    /// The year 10,000.
    private static let end = 253_402_300_800_000.0

    var text: String {
        let milliseconds = Int(self.milliseconds)
        let second = milliseconds / 1_000
        let (year, month, day) = Self.date(ofDay: second / 86_400)
        return String(unsafeUninitializedCapacity: Self.form.utf8CodeUnitCount) { buffer in
            Self.form.withUTF8Buffer { _ = buffer.initialize(from: $0) }
            let fields = [
                (year, 0, 4), (month, 5, 2), (day, 8, 2), (second / 3_600 % 24, 11, 2), (second / 60 % 60, 14, 2),
                (second % 60, 17, 2), (milliseconds % 1_000, 20, 3),
            ]
            for (value, start, count) in fields {
                var rest = value
                for index in (start..<start + count).reversed() {
                    buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
            }
            return Self.form.utf8CodeUnitCount
        }
    }

    private static let form: StaticString = "0000-00-00T00:00:00.000Z"

    /// Milliseconds since 1970, with or without a fraction of three digits.
    private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        let hasFraction = text.count == Self.form.utf8CodeUnitCount
        guard hasFraction || text.count == Self.form.utf8CodeUnitCount - 4, text[text.count - 1] == UInt8(ascii: "Z")
        else {
            return nil
        }
        let isOfForm = Self.form.withUTF8Buffer { form in
            (0..<text.count - 1).allSatisfy { index in
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index])
                return form[index] == UInt8(ascii: "0") ? isDigit : text[index] == form[index]
            }
        }
        guard isOfForm else { return nil }
        func number(_ range: Range<Int>) -> Int { range.reduce(0) { $0 * 10 + Int(text[$1] - UInt8(ascii: "0")) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard year >= 1970, (1...12).contains(month), hour < 24, minute < 60, second < 60 else { return nil }
        let days = Self.day(of: (year, month, day))
        guard Self.date(ofDay: days) == (year, month, day) else { return nil }
        return (days * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000 + (hasFraction ? number(20..<23) : 0)
    }

    // Years that begin in March, so that the leap day is their last.
    // - Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil and civil_from_days.

    private static func day(of date: (year: Int, month: Int, day: Int)) -> Int {
        let year = date.month > 2 ? date.year : date.year - 1
        let month = date.month > 2 ? date.month - 3 : date.month + 9
        let dayOfYear = (153 * month + 2) / 5 + date.day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - daysTo1970
    }

    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (day + daysTo1970).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = era * 400 + yearOfEra
        return (month < 10 ? year : year + 1, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    /// Days from 1 March of the year 0 to 1970.
    private static let daysTo1970 = 719_468
}
