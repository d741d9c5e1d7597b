/// The side on which lines of a language begin, as `dir` in HTML names it.
public enum TextDirection: String, Sendable {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"

    /// - Parameter language: an ISO 639 code.
    /// - Source: Unicode CLDR 48, the character order of the languages' main scripts.
    init(language: String) {
        self =
            ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(language)
            ? .rightToLeft : .leftToRight
    }

    /// A value inside a sentence, isolated in one from right to left, where its own direction would move other words.
    ///
    /// Numbers and times move nothing. Isolates of the value's own are left out there: they would end the one around it.
    public func isolated(_ value: String) -> String {
        guard self == .rightToLeft, value.wholeMatch(of: /[0-9]+([:.,][0-9]+)*/) == nil else { return value }
        return "\u{2068}\(String(value.unicodeScalars.filter { !Self.isIsolate($0) }))\u{2069}"
    }

    private static func isIsolate(_ scalar: Unicode.Scalar) -> Bool { (0x2066...0x2069).contains(scalar.value) }
}
