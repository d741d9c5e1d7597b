import CommandOutput
import InterfaceTexts
import LiveActivity
import PhoneRules

extension Words {
    /// One sentence for one change of a card: VoiceOver's label, and the line on a narrow terminal.
    func sentence(_ event: CardEvent) -> String {
        let card = event.card
        let label = card.content.spokenLabel(card.attributes, words: self, now: event.at)
        let sentence =
            switch event.kind {
            case .start, .update, .end: label
            case .stale:
                texts(
                    "card.stale",
                    [
                        "noNews": noNews(
                            since: card.shownSince, timeZone: card.attributes.timeZone, now: event.at),
                        "sentence": label,
                    ])
            case .dismissed: texts("card.dismissed", ["sentence": label])
            }
        return sentence.safeOnTerminal
    }
}
