import CardPresentation
import CommandOutput
import InterfaceTexts
import LiveActivity
import PhoneRules

/// The service's answer to a press, in English.
struct PressAnswer: Hashable, Sendable {
    let sentence: String
    /// The number to call, where there is one.
    var phone: String?
    /// The details, a phrase a line.
    var details: [Phrase] = []
}

/// The outcome of a press, or the reason why it had none, in the language of the screen.
///
/// The service answers in English; another language uses the verb and the kind of failure, with the names on the card.
extension Words {
    /// - Parameter card: as it was when the button was pressed.
    func done(_ button: CardButton, on card: PhoneCard, answer: PressAnswer) -> String {
        // A terminal answers that question by a command, which no service names.
        guard let verb = Verb(rawValue: button.verb), !texts.isOfServices || verb == .feedback else {
            return answer.sentence
        }
        return sentence(verb, button, card, phone: answer.phone).safeOnTerminal
    }

    /// The lines below the card.
    ///
    /// - Parameter now: epoch seconds.
    func lines(_ answer: PressAnswer, on card: PhoneCard, now: Int) -> [String] {
        answer.details.map { text($0, timeZone: card.attributes.timeZone, now: now).safeOnTerminal }
    }

    func refused(_ button: CardButton, _ failure: CommandFailure) -> String {
        guard !texts.isOfServices else {
            // Addresses and settings are not a customer's.
            return failure.kind == .unavailable
                ? "No answer. The card shows whether it was done; if not, try again in a moment" : failure.message
        }
        switch failure.kind {
        case .conflict: return texts("answer.conflict.\((Verb(rawValue: button.verb) ?? .details).rawValue)")
        case .notFound: return texts("answer.refused.not_found")
        case .notAllowed: return texts("answer.refused.not_allowed")
        case .unavailable: return texts("answer.refused.unavailable")
        case .usage, .interrupted: return texts("answer.refused.not_sent")
        }
    }

    private func sentence(_ verb: Verb, _ button: CardButton, _ card: PhoneCard, phone: String?) -> String {
        switch verb {
        case .details: return texts("answer.order", card.names)
        case .contactCourier:
            let title = self.title(button, in: card.content)
            return phone.map { "\(title) · \($0)" } ?? title
        case .leaveAtDoor:
            // Before pickup another courier may bring it.
            let isPickedUp = card.content.progress >= CardFace.stops[2]
            var names: [String: String] = [:]
            names["courier"] = isPickedUp ? card.content.courier?.name : nil
            return texts("answer.leave-at-door", names)
        case .feedback:
            return texts("screen.feedback", ["command": "doorstep feedback \(card.attributes.delivery ?? "")"])
        case .handToMe, .approveSubstitution, .refuseSubstitution, .cancel:
            return texts("answer.\(verb.rawValue)", card.names)
        }
    }
}

extension PhoneCard {
    /// The names in an answer to a press: the order, its store, a substitute with its number of pieces and the price
    /// difference.
    var names: [String: String] {
        var names = content.headline.values.filter { ["item", "substitute"].contains($0.key) }
        if let quantity = content.headline.values["quantity"], let substitute = names["substitute"] {
            names["substitute"] = "\(quantity) × \(substitute)"
        }
        names["reference"] = attributes.reference
        names["store"] = attributes.store.isEmpty ? nil : attributes.store
        if let difference = content.priceDifference, difference.minorUnits != 0 {
            names[difference.minorUnits > 0 ? "more" : "less"] = difference.value
        }
        return names
    }
}
