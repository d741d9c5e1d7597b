/// What the terminal's phone says around the cards, and a real one says in pictures.
struct CardPhrases: Hashable, Sendable {
    /// `en` or `da`, as ``LiveActivity/Words`` found it.
    let language: String

    private func said(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    func noNews(since clock: String) -> String { said("No news since \(clock)", "Intet nyt siden \(clock)") }

    var question: String {
        said(
            "Allow Live Activities from Doorstep?  [y] yes  [n] no",
            "Tillad liveaktiviteter fra Doorstep?  [y] ja  [n] nej")
    }

    func stale(_ sentence: String, since clock: String) -> String {
        said("\(noNews(since: clock)). Last: \(sentence)", "\(noNews(since: clock)). Sidst: \(sentence)")
    }

    func dismissed(_ sentence: String) -> String {
        said("Off this screen: \(sentence)", "Væk fra skærmen: \(sentence)")
    }
}
