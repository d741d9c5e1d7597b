package import LiveActivity

/// The texts of pages and of the terminal, beside those of cards: files for each language.
enum InterfaceTexts {
    /// By language, as ``LiveActivity/Words/languages`` has them.
    static let texts = ["en": english, "da": danishPages.merging(danishCodes) { own, _ in own }]
    static let english = englishPages.merging(englishCodes) { own, _ in own }

    fileprivate static let catalogues = Dictionary(
        uniqueKeysWithValues: Words.languages.map { language in
            (language, Words(locale: language).catalogue.adding(texts[language] ?? english))
        })
}

extension Words {
    /// Everything that a page or a terminal shows in the language, by key: `words.texts("courier.title")`.
    package var texts: TextCatalogue { InterfaceTexts.catalogues[language] ?? catalogue }

    /// `No news since 18:12`.
    ///
    /// - Parameters:
    ///   - epochSeconds: the time of the newest information.
    ///   - now: the time of reading, epoch seconds.
    package func noNews(since epochSeconds: Int, timeZone: String, now: Int) -> String {
        texts("card.no_news", ["time": moment(epochSeconds, timeZone: timeZone, now: now)])
    }
}

extension TextCatalogue {
    /// Whether the services' own sentences are in this language.
    package var isOfServices: Bool { language == "en" }
}
