/// The key under which an app's strings have a phrase of an alert: its English format, `%@ is on the way`.
///
/// iOS shows the key itself, with its values filled in, where an app has no string for it, so that an app that is older
/// than the phrase shows English.
struct AlertKey {
    let code: PhraseCode
    /// The key's text, with one `%@` for each of `valueNames`.
    let text: String
    /// The names of its values in the order of the English text: the order of an alert's `loc-args`.
    let valueNames: [String]

    /// Nil for a phrase with a value that must be formatted first, such as a time of day: iOS inserts values as they
    /// are.
    init?(_ code: PhraseCode) {
        guard let message = TextCatalogue.english.phrase(code), let text = message.stringsFormat({ _ in "%@" })
        else { return nil }
        self.code = code
        self.text = text
        valueNames = message.names
    }

    /// The key with this text; nil where this version has none.
    init?(text: String) {
        guard let key = Self.byText[text] else { return nil }
        self = key
    }

    static let all = PhraseCode.allCases.compactMap(AlertKey.init)

    private static let byText = Dictionary(all.map { ($0.text, $0) }) { first, _ in first }

    /// The text in the words of a language, with `%1$@` for the first of `valueNames`.
    func format(in catalogue: TextCatalogue) -> String? {
        catalogue.phrase(code)?.stringsFormat { name in
            catalogue.direction.isolated("%\((valueNames.firstIndex(of: name) ?? 0) + 1)$@")
        }
    }
}
