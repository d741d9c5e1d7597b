internal import Foundation

/// An operator's display name on pages and in timelines, shown with the identifying subject.
///
/// Operators choose their names, so a name must not imitate another on a screen: it consists of letters of one script,
/// spaces, a little punctuation and ASCII digits, without invisible or direction characters.
public struct DisplayName: RawRepresentable, Hashable, Sendable {
    public static let charactersMax = 64
    /// Marks on one letter, such as vowel signs.
    private static let marksMax = 2

    /// The name in Unicode's normalization form C.
    public let rawValue: String

    /// - Returns: nil for a text that is not a name, or resembles another name.
    public init?(rawValue: String) {
        let name = rawValue.precomposedStringWithCanonicalMapping
        guard (1...Self.charactersMax).contains(name.count),
            // Full-width and mathematical letters resemble others.
            name == name.precomposedStringWithCompatibilityMapping,
            Self.isShown(name), name.contains(where: \.isLetter),
            !name.hasPrefix(" "), !name.hasSuffix(" "), !name.contains("  "),
            Self.isOfOneScript(name), !Self.isConfusableWithLatin(name)
        else { return nil }
        self.rawValue = name
    }

    /// The permanent record of an actor: `Ada Lovelace (oidc:login.example.com#u1)`.
    ///
    /// A name has neither colon nor number sign, so that the last pair of brackets is the subject.
    public func recorded(with subject: String) -> String { "\(rawValue) (\(subject))" }

    // MARK: Confusable characters

    private static let punctuation: Set<Unicode.Scalar> = [
        " ", "'", "\u{2019}", "-", ".", ",", "_", "@", "+", "&", "/", "(", ")", "\u{B7}",
    ]

    /// Whether each part of the name is visible: letters with few marks, and the allowed separators.
    private static func isShown(_ name: String) -> Bool {
        var marksLeft = 0
        for scalar in name.unicodeScalars {
            guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter:
                guard !isPhonetic(scalar) else { return false }
                marksLeft = marksMax
            case .nonspacingMark, .spacingMark:
                marksLeft -= 1
                guard marksLeft >= 0 else { return false }
            case .decimalNumber:
                guard scalar.isASCII else { return false }
                marksLeft = 0
            default:
                guard punctuation.contains(scalar) else { return false }
                marksLeft = 0
            }
        }
        return true
    }

    /// Whether a letter is a Latin phonetic sign outside every language's alphabet; such signs resemble others.
    private static func isPhonetic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1C0...0x1C3, 0x250...0x2FF, 0x1D00...0x1DBF, 0x2C60...0x2C7F, 0xA700...0xA7FF, 0xAB30...0xAB6F: true
        default: false
        }
    }

    private static func isOfOneScript(_ name: String) -> Bool {
        scripts.contains { name.wholeMatch(of: $0.matchingSemantics(.unicodeScalar)) != nil }
    }

    /// The scripts of which a name may be; Japanese has three.
    private static var scripts: [Regex<Substring>] {
        [
            #/[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Armenian}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Hebrew}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Arabic}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Devanagari}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Bengali}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Gurmukhi}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Gujarati}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Tamil}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Telugu}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Kannada}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Malayalam}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Sinhala}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Thai}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Lao}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Khmer}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Myanmar}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Ethiopic}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]+/#,
            #/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}\p{Script=Inherited}]+/#,
        ]
    }

    /// Whether every letter resembles a Latin one but is of another script, as in Cyrillic
    /// \u{441}\u{43E}\u{440}\u{430}.
    private static func isConfusableWithLatin(_ name: String) -> Bool {
        name.filter(\.isLetter).allSatisfy(latinConfusables.contains)
    }

    /// - Source: Unicode's confusables.txt, the Greek and Cyrillic letters whose skeleton is a Latin letter.
    private static let latinConfusables: Set<Character> = Set(
        "аеорсухѕіјһԁԛԝӏАВЕКМНОРСТУХЅІЈԚԜӀ" + "αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
}
