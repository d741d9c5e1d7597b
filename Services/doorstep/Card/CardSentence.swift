import CardPresentation
import CommandOutput
import LiveActivity
import PhoneRules

/// One sentence for one change of a card: VoiceOver's label, and what a narrow terminal shows.
struct CardSentence {
    let words: Words

    func sentence(_ event: CardEvent) -> String {
        let card = event.card
        let label = card.content.spokenLabel(card.attributes, words: words, now: event.at)
        let phrases = CardPhrases(language: words.language)
        let sentence =
            switch event.kind {
            case .start, .update, .end: label
            case .stale:
                phrases.stale(
                    label, since: words.moment(card.shownSince, timeZone: card.attributes.timeZone, now: event.at))
            case .dismissed: phrases.dismissed(label)
            }
        return sentence.safeOnTerminal
    }
}
