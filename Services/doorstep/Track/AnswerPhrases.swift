import CardPresentation
import CommandOutput
import LiveActivity
import PhoneRules

/// What the service answered to a press, in English.
struct PressAnswer: Hashable, Sendable {
    let sentence: String
    /// The number to call, where there is one.
    var phone: String?
    /// The details, a phrase a line.
    var details: [Phrase] = []
}

/// What a press has done, or why it did nothing, in the language of the screen.
///
/// The service answers in English; in another language it is said by verb and kind of failure, with the names on the card.
struct AnswerPhrases {
    let words: Words

    /// - Parameter card: as it was when the button was pressed.
    func done(_ button: CardButton, on card: PhoneCard, answer: PressAnswer) -> String {
        guard words.language == "da", let verb = Verb(rawValue: button.verb) else { return answer.sentence }
        return danish(verb, button, card, phone: answer.phone).safeOnTerminal
    }

    /// The lines below the card.
    ///
    /// - Parameter now: epoch seconds.
    func lines(_ answer: PressAnswer, on card: PhoneCard, now: Int) -> [String] {
        answer.details.map { words.text($0, timeZone: card.attributes.timeZone, now: now).safeOnTerminal }
    }

    func refused(_ button: CardButton, _ failure: CommandFailure) -> String {
        guard words.language == "da" else {
            // Addresses and settings are not a customer's.
            return failure.kind == .unavailable
                ? "No answer. The card shows whether it was done; if not, try again in a moment" : failure.message
        }
        switch failure.kind {
        case .conflict: return conflict(button)
        case .notFound: return "Linket gælder ikke længere"
        case .notAllowed: return "Det har du ikke adgang til"
        case .unavailable: return "Intet svar; prøv igen om lidt"
        case .usage, .interrupted: return "Det blev ikke sendt: linket hører ikke til her"
        }
    }

    private func danish(_ verb: Verb, _ button: CardButton, _ card: PhoneCard, phone: String?) -> String {
        let values = card.content.headline.values
        switch verb {
        case .details:
            let order = card.attributes.reference.map { "Ordre \($0)" } ?? "Levering"
            return card.attributes.store.isEmpty ? order : "\(order) fra \(card.attributes.store)"
        case .contactCourier:
            let title = words.title(button, in: card.content)
            return phone.map { "\(title) · \($0)" } ?? title
        case .leaveAtDoor:
            // Before pickup another courier may bring it.
            let isPickedUp = card.content.progress >= CardFace.stops[2]
            let courier = isPickedUp ? card.content.courier?.name : nil
            return "\(courier ?? "Buddet") er bedt om at stille varerne ved døren"
        case .approveSubstitution:
            guard let substitute = values["substitute"], let item = values["item"] else { return "Varen bliver byttet" }
            return "\(substitute) kommer i stedet for \(item)" + priceDifference(card.content)
        case .refuseSubstitution:
            return values["item"].map { "\($0) bliver refunderet" } ?? "Varen bliver refunderet"
        case .cancel:
            return "Leveringen er annulleret"
        }
    }

    /// `: 4,50 kr. mere`; empty for the same price.
    private func priceDifference(_ content: GroceryDeliveryAttributes.ContentState) -> String {
        guard let difference = content.priceDifference, difference.minorUnits != 0 else { return "" }
        return ": \(words.text(difference)) \(difference.minorUnits > 0 ? "mere" : "mindre")"
    }

    private func conflict(_ button: CardButton) -> String {
        switch Verb(rawValue: button.verb) {
        case .cancel: "Leveringen kan ikke annulleres længere; kontakt butikken"
        case .leaveAtDoor: "Det kan buddet ikke blive bedt om længere"
        case .approveSubstitution, .refuseSubstitution: "Spørgsmålet er ikke åbent længere"
        case .contactCourier: "Der er intet bud at ringe til nu"
        case .details, nil: "Det kan ikke lade sig gøre længere"
        }
    }
}
