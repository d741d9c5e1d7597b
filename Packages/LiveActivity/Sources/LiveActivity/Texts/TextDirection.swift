/// The side on which lines of a language begin, as `dir` in HTML names it.
public enum TextDirection: String, Sendable {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"

    /// - Parameter language: an ISO 639 code.
    /// - Source: Unicode CLDR 48, the character order of the languages' main scripts.
    init(language: String) {
        self = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(language)
            ? .rightToLeft : .leftToRight
    }

    /// A name inside a sentence: in a sentence from right to left its own direction does not move the words around it.
    ///
    /// - Source: Unicode Standard Annex 9, FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE.
    func isolated(_ value: String) -> String {
        switch self {
        case .leftToRight: value
        case .rightToLeft: "\u{2068}\(value)\u{2069}"
        }
    }
}
