extension SearchTerm {
    /// The least number of digits of a phone number; fewer are a house number.
    static let phoneDigitsMin = 6

    /// Digits of other scripts that keypads have, each script from its zero on.
    ///
    /// Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Tamil, Telugu, Kannada, Malayalam, Thai, full width.
    static let foreignDigits = {
        let zeros = "\u{660}\u{6F0}\u{966}\u{9E6}\u{A66}\u{AE6}\u{BE6}\u{C66}\u{CE6}\u{D66}\u{E50}\u{FF10}"
        var digits = ""
        for zero in zeros.unicodeScalars {
            for value in zero.value..<zero.value + 10 {
                if let digit = Unicode.Scalar(value) { digits.unicodeScalars.append(digit) }
            }
        }
        return digits
    }()

    /// The digits of a phone number or of its end, however it is written: `+45 20 12 34 56`, `20-123456`; nil for other
    /// text.
    ///
    /// Zeros at its beginning, as of calls within a country, are left out where enough digits follow.
    var phoneDigits: String? {
        guard !rawValue.unicodeScalars.contains(where: \.properties.isAlphabetic) else { return nil }
        let digits = Self.digits(of: rawValue)
        let significant = digits.drop { $0 == "0" }
        if significant.count >= Self.phoneDigitsMin { return String(significant) }
        return digits.count >= Self.phoneDigitsMin ? digits : nil
    }

    /// Whether digits are those of a stored number: the shorter ones are the end of the longer ones.
    static func finds(_ digits: String, in phone: String) -> Bool {
        let stored = Self.digits(of: phone).drop { $0 == "0" }
        return stored.count >= phoneDigitsMin && stored.suffix(digits.count) == digits.suffix(stored.count)
    }

    /// The digits of a number up to its extension, without a 0 in parentheses, which calls from abroad leave out.
    private static func digits(of number: String) -> String {
        var digits = ""
        for scalar in number.withLatinDigits.replacing("(0)", with: "").unicodeScalars {
            if scalar.digitValue != nil {
                digits.unicodeScalars.append(scalar)
            } else if !digits.isEmpty, scalar.properties.isAlphabetic || [",", ";", "#"].contains(scalar) {
                break
            }
        }
        return digits
    }
}
