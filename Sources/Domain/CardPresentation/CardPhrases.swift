/// Texts around the cards that a real phone shows as pictures.
package struct CardPhrases: Hashable, Sendable {
    /// `en` or `da`, as ``LiveActivity/Words`` found it.
    package let language: String

    package init(language: String) { self.language = language }

    private func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    package func noNews(since clock: String) -> String {
        localized("No news since \(clock)", "Intet nyt siden kl. \(clock)")
    }

    package var question: String {
        localized(
            "Allow Live Activities from Doorstep?  [y] yes  [n] no",
            "Tillad liveaktiviteter fra Doorstep?  [j] ja  [n] nej")
    }

    package func stale(_ sentence: String, since clock: String) -> String {
        localized("\(noNews(since: clock)). Last: \(sentence)", "\(noNews(since: clock)). Sidst: \(sentence)")
    }

    package func dismissed(_ sentence: String) -> String {
        localized("Off this screen: \(sentence)", "Fjernet fra skærmen: \(sentence)")
    }
}
