import LiveActivity

/// A key's action on a card, or on all cards.
enum CardAction: Hashable, Sendable {
    case press(CardButton)
    /// Removes the card from the Lock Screen permanently; the order continues.
    case dismiss
    /// Switches Live Activities off, which removes every card from the screen permanently.
    case switchOff

    /// Whether the action needs a confirmation and a ten-second delay: a cancel, an unknown verb or a removal of cards.
    ///
    /// The answer to a proposed swap is irreversible too, and is sent at once.
    var isAskedAbout: Bool {
        switch self {
        case .press(let button): Self.isAskedAbout(verb: button.verb)
        case .dismiss, .switchOff: true
        }
    }

    /// Whether a link's verb needs a confirmation; an unknown verb does, since its effect is unknown.
    static func isAskedAbout(verb: String) -> Bool {
        switch Verb(rawValue: verb) {
        case .details, .contactCourier, .leaveAtDoor, .handToMe, .approveSubstitution, .refuseSubstitution, .feedback:
            false
        case .cancel, nil: true
        }
    }
}
