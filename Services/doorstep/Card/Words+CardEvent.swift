import CommandOutput
import InterfaceTexts
import LiveActivity
import PhoneRules

extension Words {
    /// One sentence for one change of a card.
    func sentence(_ event: CardEvent) -> String {
        let sentence = sentence(event.card, now: event.at)
        return event.kind == .dismissed ? texts("card.dismissed", ["sentence": sentence]) : sentence
    }

    /// A card in sentences, for a screen reader and a narrow terminal: VoiceOver's label, since when there is no news
    /// of a stale card, and when an ended one leaves the screen.
    func sentence(_ card: PhoneCard, now: Int) -> String {
        let zone = card.attributes.timeZone
        let label = card.content.spokenLabel(
            card.attributes, words: self, now: now, isStale: card.state == .stale, isStaleSaid: true)
        let sentence =
            switch card.state {
            case .pending, .active, .dismissed: label
            case .stale:
                texts(
                    "card.stale",
                    ["noNews": noNews(since: card.shownSince, timeZone: zone, now: now), "sentence": label])
            case .ended:
                [label, card.dismissedAt.map { asSentence(leavesScreen(at: $0, timeZone: zone, now: now)) }]
                    .compactMap(\.self).joined(separator: " ")
            }
        return sentence.safeOnTerminal
    }

    /// A label of a card as a sentence.
    private func asSentence(_ label: String) -> String {
        label.prefix(1).uppercased() + label.dropFirst() + (label.hasSuffix(".") ? "" : ".")
    }
}
