extension Words {
    /// An app's `Localizable` strings for the keys of alerts, by key, in this language.
    public var alertStrings: [String: String] {
        AlertKey.all.reduce(into: [:]) { strings, key in strings[key.text] = key.format(in: catalogue) }
    }

    /// The words of cards by their codes, in this language: `phrase.en_route`, `phase.at_door`, `verb.cancel`.
    ///
    /// A card is drawn from `Words` itself; these are for translators, and for apps that draw in other words.
    public var cardTexts: [String: CatalogueText] {
        let keys = catalogue.keys.filter { key in Self.cardKeys.contains { key.hasPrefix($0) } }
        return keys.reduce(into: [:]) { texts, key in
            let names = TextCatalogue.english.message(key)?.names ?? []
            texts[key] = catalogue.message(key)?.catalogueText(names, in: catalogue)
        }
    }

    private static let cardKeys = ["phrase.", "label.", "verb.", "phase.", "flag."]
}

/// A text in the form of a string catalogue.
public struct CatalogueText: Hashable, Sendable {
    /// With `%1$@` for a value, which an app writes in its own way first, and `%#@name@` for each of `counts`.
    public let format: String
    public let counts: [Count]

    public init(format: String, counts: [Count]) {
        self.format = format
        self.counts = counts
    }

    /// A number with what its noun is called, in which `%arg` is the number.
    public struct Count: Hashable, Sendable {
        public let name: String
        /// Of its value, from 1.
        public let position: Int
        /// By CLDR's plural categories, such as `one` and `other`.
        public let forms: [String: String]

        public init(name: String, position: Int, forms: [String: String]) {
            self.name = name
            self.position = position
            self.forms = forms
        }
    }
}
