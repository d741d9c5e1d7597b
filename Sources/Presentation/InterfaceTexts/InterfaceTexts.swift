package import LiveActivity

/// The texts of pages and of the terminal, beside those of cards: files for each language.
enum InterfaceTexts {
    /// By language, as ``LiveActivity/Words/languages`` has them.
    static let texts = ["en": english, "da": merged([danishPages, danishCouriers, danishTerminal, danishCodes])]
    static let english = merged([englishPages, englishCouriers, englishTerminal, englishCodes])

    fileprivate static let catalogues = Dictionary(
        uniqueKeysWithValues: Words.languages.map { language in
            (language, Words(locale: language).catalogue.adding(texts[language] ?? english))
        })

    private static func merged(_ parts: [[String: String]]) -> [String: String] {
        parts.reduce(into: [:]) { texts, part in texts.merge(part) { own, _ in own } }
    }
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
