extension Words {
    /// What an app has in its `Localizable` strings for the keys of alerts, by key, in this language.
    public var alertStrings: [String: String] {
        AlertKey.all.reduce(into: [:]) { strings, key in strings[key.text] = key.format(in: table) }
    }

    /// The words of cards by their codes, in this language: `phrase.en_route`, `phase.at_door`, `verb.cancel`.
    ///
    /// A card is drawn from `Words` itself; these are for translators, and for apps that draw in other words.
    public var cardTexts: [String: CatalogueText] {
        let english = EnglishWords()
        var texts: [String: CatalogueText] = [:]
        func add(_ key: String, _ template: String, _ english: String) {
            texts[key] = PhraseTemplate(template).catalogueText(PhraseTemplate(english).namesInOrder)
        }
        for code in PhraseCode.allCases { add("phrase.\(code.rawValue)", table.phrase(code), english.phrase(code)) }
        for label in CardLabel.allCases { add("label.\(label.rawValue)", table.label(label), english.label(label)) }
        for verb in Verb.allCases {
            add("verb.\(verb.rawValue)", table.verb(verb), english.verb(verb))
            add("verb.\(verb.rawValue).short", table.shortVerb(verb), english.shortVerb(verb))
        }
        add("verb.\(Verb.contactCourier.rawValue).named", table.contactNamed, english.contactNamed)
        for phase in KnownPhase.allCases {
            add("phase.\(phase.rawValue)", table.phase(phase), english.phase(phase))
            add("phase.\(phase.rawValue).short", table.shortPhase(phase), english.shortPhase(phase))
        }
        for flag in DeliverySnapshot.Flag.allCases {
            add("flag.\(flag.rawValue)", table.flag(flag), english.flag(flag))
        }
        return texts
    }
}

/// A text as a string catalogue has it.
public struct CatalogueText: Hashable, Sendable {
    /// With `%1$@` for a value, which an app writes in its own way first, and `%#@name@` for each of `counts`.
    public let format: String
    public let counts: [Count]

    public init(format: String, counts: [Count]) {
        self.format = format
        self.counts = counts
    }

    /// A number with its singular and plural, in which `%arg` is the number.
    public struct Count: Hashable, Sendable {
        public let name: String
        /// Of its value, from 1.
        public let position: Int
        public let one: String
        public let other: String

        public init(name: String, position: Int, one: String, other: String) {
            self.name = name
            self.position = position
            self.one = one
            self.other = other
        }
    }
}
