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
    /// Numbers and times move nothing.
    ///
    /// - Source: Unicode Standard Annex 9, FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE.
    func isolated(_ value: String) -> String {
        switch self {
        case .leftToRight: value
        case .rightToLeft:
            value.wholeMatch(of: /[0-9]+([:.,][0-9]+)*/) != nil
                ? value : "\u{2068}\(String(value.unicodeScalars.filter { !Self.isIsolate($0) }))\u{2069}"
        }
    }

    /// Whether a character begins or ends an isolate, which would end another one around it.
    private static func isIsolate(_ scalar: Unicode.Scalar) -> Bool { (0x2066...0x2069).contains(scalar.value) }
}
