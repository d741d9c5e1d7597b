import CardPresentation
import CommandOutput
import InterfaceTexts
import LiveActivity
import PhoneRules

/// One sentence for one change of a card: VoiceOver's label, and the line on a narrow terminal.
struct CardSentence {
    let words: Words

    func sentence(_ event: CardEvent) -> String {
        let card = event.card
        let label = card.content.spokenLabel(card.attributes, words: words, now: event.at)
        let sentence =
            switch event.kind {
            case .start, .update, .end: label
            case .stale:
                words.texts(
                    "card.stale",
                    [
                        "noNews": words.noNews(
                            since: card.shownSince, timeZone: card.attributes.timeZone, now: event.at),
                        "sentence": label,
                    ])
            case .dismissed: words.texts("card.dismissed", ["sentence": label])
            }
        return sentence.safeOnTerminal
    }
}
