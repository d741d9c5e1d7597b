import CardPresentation

/// Texts around the cards that a real phone shows as pictures.
extension CardPhrases {
    var question: String {
        localized(
            "Allow Live Activities from Doorstep?  [y] yes  [n] no",
            "Tillad liveaktiviteter fra Doorstep?  [j] ja  [n] nej")
    }

    func stale(_ sentence: String, since moment: String) -> String {
        localized("\(noNews(since: moment)). Last: \(sentence)", "\(noNews(since: moment)). Sidst: \(sentence)")
    }

    func dismissed(_ sentence: String) -> String {
        localized("Off this screen: \(sentence)", "Fjernet fra skærmen: \(sentence)")
    }
}
