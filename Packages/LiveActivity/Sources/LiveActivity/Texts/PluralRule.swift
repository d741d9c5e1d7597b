/// The plural category of a whole number in a language.
///
/// - Source: Unicode CLDR 48, `supplemental/plurals.xml`, the rules of cardinal numbers, for whole numbers alone.
struct PluralRule: Sendable {
    let category: @Sendable (Int) -> PluralCategory

    /// The rule of a language by its ISO 639 code; that of English for one that is not listed.
    init(language: String) {
        let known = Self.rules.first { $0.languages.contains(language) }?.category
        let category = known ?? Self.oneOrOther
        self.category = category
        let isListed = known != nil || Self.asEnglish.contains(language)
        categories = isListed ? Set(Self.samples.map { category($0) }) : Set(PluralCategory.allCases)
    }

    func callAsFunction(_ count: Int) -> PluralCategory { category(count) }

    /// Every category that a whole number has in the language; all of them for one that is not listed and may have more
    /// than English.
    let categories: Set<PluralCategory>

    private static let samples = Array(0...200) + [1_000, 1_000_000]

    private static let asEnglish: Set<String> = [
        "af", "az", "bg", "da", "de", "el", "en", "et", "eu", "fi", "gl", "hu", "ka", "kk", "nb", "nl", "nn", "no",
        "sq",
        "sv", "sw", "ta", "te", "tr", "ur", "yi",
    ]

    private static let oneOrOther: @Sendable (Int) -> PluralCategory = { $0 == 1 ? .one : .other }

    private static let rules: [(languages: Set<String>, category: @Sendable (Int) -> PluralCategory)] = [
        (["id", "ja", "ko", "ms", "my", "th", "vi", "zh"], { _ in .other }),
        (["am", "bn", "fa", "gu", "hi", "hy", "kn", "pa", "si", "zu"], { (0...1).contains($0) ? .one : .other }),
        (["fr", "pt"], { (0...1).contains($0) ? .one : millions($0) }),
        (["ca", "es", "it"], { $0 == 1 ? .one : millions($0) }),
        (["cs", "sk"], { $0 == 1 ? .one : (2...4).contains($0) ? .few : .other }),
        (["pl"], { $0 == 1 ? .one : isFew($0) ? .few : .many }),
        (["be", "ru", "uk"], { isOne($0) ? .one : isFew($0) ? .few : .many }),
        (["bs", "hr", "sr"], { isOne($0) ? .one : isFew($0) ? .few : .other }),
        (["is", "mk"], { isOne($0) ? .one : .other }),
        (
            ["lt"],
            { isOne($0) ? .one : (2...9).contains($0 % 10) && !(11...19).contains($0 % 100) ? .few : .other }
        ),
        (["lv"], { $0 % 10 == 0 || (11...19).contains($0 % 100) ? .zero : isOne($0) ? .one : .other }),
        (["ro"], { $0 == 1 ? .one : $0 == 0 || (1...19).contains($0 % 100) ? .few : .other }),
        (["sl"], { [1: .one, 2: .two, 3: .few, 4: .few][$0 % 100] ?? .other }),
        (["he"], { [1: .one, 2: .two][$0] ?? .other }),
        (["ga"], { [1: .one, 2: .two][$0] ?? ((3...6).contains($0) ? .few : (7...10).contains($0) ? .many : .other) }),
        (
            ["mt"],
            {
                [1: .one, 2: .two][$0]
                    ?? ($0 == 0 || (3...10).contains($0 % 100) ? .few : (11...19).contains($0 % 100) ? .many : .other)
            }
        ),
        (
            ["ar"],
            {
                [0: .zero, 1: .one, 2: .two][$0]
                    ?? ((3...10).contains($0 % 100) ? .few : (11...99).contains($0 % 100) ? .many : .other)
            }
        ),
        (
            ["cy"],
            { [0: .zero, 1: .one, 2: .two, 3: .few, 6: .many][$0] ?? .other }
        ),
    ]

    private static func millions(_ count: Int) -> PluralCategory {
        count != 0 && count % 1_000_000 == 0 ? .many : .other
    }

    private static func isOne(_ count: Int) -> Bool { count % 10 == 1 && count % 100 != 11 }

    private static func isFew(_ count: Int) -> Bool {
        (2...4).contains(count % 10) && !(12...14).contains(count % 100)
    }
}

/// The forms of a noun beside a number, as Unicode's CLDR names them.
///
/// - Source: Unicode Technical Standard 35, part 3, "Language Plural Rules".
enum PluralCategory: String, Sendable, CaseIterable {
    case zero, one, two, few, many, other
}
