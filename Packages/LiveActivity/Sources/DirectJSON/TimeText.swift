/// Parses times in text form: one parser for clients, providers and tracker apps.
public enum TimeText {
    /// Seconds since 1970 of a time of RFC 3339; nil for anything else.
    ///
    /// Letters in either case, a fraction of any length after a point or a comma, `Z` or an offset with or without its
    /// colon. A 60th second, which a leap second has, is the second after it.
    /// - Parameter isLoose: whether a space may replace `T`, and seconds and offset may be missing; a time without an
    ///   offset is then in UTC. Tracker apps write such times.
    public static func seconds(of text: String, isLoose: Bool = false) -> Double? {
        var rest = Substring(text).utf8
        guard let year = number(&rest, digits: 4), skip("-", &rest), let month = number(&rest, digits: 2),
            skip("-", &rest), let day = number(&rest, digits: 2),
            skip("T", &rest) || skip("t", &rest) || (isLoose && skip(" ", &rest)),
            let hour = number(&rest, digits: 2), skip(":", &rest), let minute = number(&rest, digits: 2),
            (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60
        else { return nil }
        var second = 0
        var fraction = 0.0
        if skip(":", &rest) {
            guard let whole = number(&rest, digits: 2), whole <= 60 else { return nil }
            second = whole
            if skip(".", &rest) || skip(",", &rest) {
                guard let part = self.fraction(&rest) else { return nil }
                fraction = part
            }
        } else if !isLoose {
            return nil
        }
        guard isLoose || !rest.isEmpty, let offset = offset(&rest), rest.isEmpty else { return nil }
        let dayNumber = dayNumber(year: year, month: month, day: day)
        return Double(dayNumber * 86_400 + hour * 3_600 + minute * 60 - offset + second) + fraction
    }

    /// Seconds east of UTC; 0 where there is none.
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

    /// Digits beyond the precision of a `Double` are skipped.
    private static func fraction(_ rest: inout Substring.UTF8View) -> Double? {
        var value = 0
        var scale = 1
        var hasDigits = false
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            if scale < 1_000_000_000_000_000 {
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
                scale *= 10
            }
            hasDigits = true
            rest.removeFirst()
        }
        return hasDigits ? Double(value) / Double(scale) : nil
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
