/// Texts around the cards that a real phone shows as pictures.
struct CardPhrases: Hashable, Sendable {
    /// `en` or `da`, as ``LiveActivity/Words`` found it.
    let language: String

    private func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    func noNews(since clock: String) -> String { localized("No news since \(clock)", "Intet nyt siden kl. \(clock)") }

    var question: String {
        localized(
            "Allow Live Activities from Doorstep?  [y] yes  [n] no",
            "Tillad liveaktiviteter fra Doorstep?  [j] ja  [n] nej")
    }

    func stale(_ sentence: String, since clock: String) -> String {
        localized("\(noNews(since: clock)). Last: \(sentence)", "\(noNews(since: clock)). Sidst: \(sentence)")
    }

    func dismissed(_ sentence: String) -> String {
        localized("Off this screen: \(sentence)", "Fjernet fra skærmen: \(sentence)")
    }
}
