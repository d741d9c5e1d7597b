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

    /// A value inside a sentence, isolated where its own direction would move other words (UAX #9, section 2.4).
    ///
    /// In a sentence from right to left that is every value but numbers and times, which move nothing; isolates of the
    /// value's own are left out, since they would end the one around it. In any other it is a value with a script from
    /// right to left; one that has isolates stays as it is, since its names are isolated already.
    public func isolated(_ value: String) -> String {
        switch self {
        case .rightToLeft:
            guard value.wholeMatch(of: /[0-9]+([:.,][0-9]+)*/) == nil else { return value }
            return Self.inIsolates(String(value.unicodeScalars.filter { !Self.isIsolate($0) }))
        case .leftToRight:
            let scalars = value.unicodeScalars
            guard scalars.contains(where: Self.isRightToLeft), !scalars.contains(where: Self.isIsolate) else {
                return value
            }
            return Self.inIsolates(value)
        }
    }

    private static func inIsolates(_ value: String) -> String { "\u{2068}\(value)\u{2069}" }

    private static func isIsolate(_ scalar: Unicode.Scalar) -> Bool { (0x2066...0x2069).contains(scalar.value) }

    /// Whether it is in one of the blocks that Unicode reserves for scripts from right to left.
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
