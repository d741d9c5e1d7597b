/// Texts of a card beside those that travel with it.
package struct CardPhrases: Hashable, Sendable {
    /// `en` or `da`, as ``LiveActivity/Words`` found it.
    package let language: String

    package init(language: String) { self.language = language }

    package func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    /// - Parameter moment: as `Words.moment` writes it.
    package func noNews(since moment: String) -> String {
        localized("No news since \(moment)", "Intet nyt siden \(moment)")
    }
}
