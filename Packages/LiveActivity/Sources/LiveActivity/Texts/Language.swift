/// A language in which texts are written: what a file in this folder has.
struct Language: Sendable {
    /// ISO 639-1, such as `da`.
    let code: String
    /// The plural category of a count, by the language's rules in Unicode's CLDR.
    let plural: @Sendable (Int) -> PluralCategory
    /// Messages by key; see `Message`.
    let texts: [String: String]

    /// The first one is English: its texts travel with codes, and stand in where another language has none.
    static let all: [Language] = [.english, .danish]
}

/// The forms of a noun beside a number, as Unicode's CLDR names them.
///
/// - Source: Unicode Technical Standard 35, part 3, "Language Plural Rules".
enum PluralCategory: String, Sendable, CaseIterable {
    case zero, one, two, few, many, other
}
