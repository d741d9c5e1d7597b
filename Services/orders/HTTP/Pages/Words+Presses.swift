import InterfaceTexts
import LiveActivity

/// Texts of the customer's page that depend on what is pressed, in the reader's language.
extension Words {
    /// The effect of a press, as a question or an offer.
    ///
    /// - Parameter swap: of a press that answers a proposal.
    func prompt(_ verb: Verb, _ swap: ProposedSwap) -> String {
        verb == .details ? texts("page.items") : texts("page.prompt.\(verb.rawValue)", swap.values)
    }

    /// The consequence of a press that cannot be undone; nil for others.
    func consequence(_ verb: Verb) -> String? { verb == .cancel ? texts("page.consequence.cancel") : nil }

    /// The button that confirms the press.
    func confirm(_ verb: Verb) -> String {
        switch verb {
        case .details, .contactCourier, .feedback: texts("page.go_on")
        case .approveSubstitution: texts("page.approve")
        case .refuseSubstitution: texts("page.refuse")
        case .leaveAtDoor, .handToMe, .cancel: texts("page.confirm.\(verb.rawValue)")
        }
    }

    /// The outcome of a press.
    func done(_ verb: Verb, _ swap: ProposedSwap) -> String {
        switch verb {
        case .details, .contactCourier, .feedback: texts("page.items")
        case .leaveAtDoor, .handToMe, .approveSubstitution, .refuseSubstitution, .cancel:
            texts("page.done.\(verb.rawValue)", swap.values)
        }
    }

    /// The reason why a press is too late.
    func tooLate(_ verb: Verb) -> String {
        switch verb {
        case .details, .contactCourier: texts("page.too_late.courier")
        case .feedback: texts("page.too_late.feedback")
        case .leaveAtDoor, .handToMe: texts("page.too_late.leave_at_door")
        case .approveSubstitution, .refuseSubstitution: texts("page.too_late.substitution")
        case .cancel: texts("page.too_late.cancel")
        }
    }
}

extension ProposedSwap {
    /// As the arguments of a text; without the difference where the price is the same or not known.
    fileprivate var values: [String: String] {
        var values: [String: String] = [:]
        values["item"] = item
        values["substitute"] = substitute
        if let difference, difference.minorUnits != 0 {
            values[difference.minorUnits > 0 ? "more" : "less"] = difference.value
        }
        return values
    }
}
