/// Reads the times that tracker apps write as text.
///
/// ISO 8601 with `T` or a blank, with or without fractions, with `Z`, `+02:00`, `-0700` or nothing, which is UTC: what
/// Overland, Traccar Client, GPSLogger and the OsmAnd protocol send between them.
enum TimeText {
    /// Seconds since 1970; nil for anything else.
    static func seconds(of text: String) -> Double? {
        var rest = Substring(text).utf8
        guard let year = number(&rest, digits: 4), skip("-", &rest), let month = number(&rest, digits: 2),
            skip("-", &rest), let day = number(&rest, digits: 2), skip("T", &rest) || skip(" ", &rest),
            let hour = number(&rest, digits: 2), skip(":", &rest), let minute = number(&rest, digits: 2),
            (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60
        else { return nil }
        var second = 0.0
        if skip(":", &rest) {
            // 60 is a leap second, which the second after it stands for.
            guard let whole = number(&rest, digits: 2), whole <= 60 else { return nil }
            second = Double(whole)
            if skip(".", &rest) || skip(",", &rest) {
                guard let fraction = fraction(&rest) else { return nil }
                second += fraction
            }
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        let dayNumber = dayNumber(year: year, month: month, day: day)
        return Double(dayNumber * 86_400 + hour * 3_600 + minute * 60 - offset) + second
    }

    /// Seconds east of UTC.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int? {
        if rest.isEmpty || skip("Z", &rest) || skip("z", &rest) { return 0 }
        let isWest = skip("-", &rest)
        guard isWest || skip("+", &rest), let hours = number(&rest, digits: 2), hours < 24 else { return nil }
        _ = skip(":", &rest)
        let minutes = rest.isEmpty ? 0 : number(&rest, digits: 2)
        guard let minutes, minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private static func skip(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            rest.removeFirst()
        }
        return value
    }

    private static func fraction(_ rest: inout Substring.UTF8View) -> Double? {
        var value = 0.0
        var place = 0.1
        var hasDigits = false
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            value += Double(byte - UInt8(ascii: "0")) * place
            place /= 10
            hasDigits = true
            rest.removeFirst()
        }
        return hasDigits ? value : nil
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March so that leap days are last.
    private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = (month + 9) % 12
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        // Days before a month of such a year, by the usual run of 31 and 30 days.
        let monthDays = (153 * marchMonth + 2) / 5
        return 365 * marchYear + leapDays + monthDays + day - 1 - 719_468
    }
}
