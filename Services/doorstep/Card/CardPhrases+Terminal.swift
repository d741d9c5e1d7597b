import CardPresentation

/// Texts around the cards that a real phone shows as pictures.
extension CardPhrases {
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
