import LiveActivity

/// What a key does to a card, or to all of them.
enum CardAction: Hashable, Sendable {
    case press(CardButton)
    /// Takes the card off the Lock Screen for good; the order goes on.
    case dismiss
    /// Switches Live Activities off, which takes every card off the screen for good.
    case switchOff

    /// Whether it is asked about first and can be taken back for ten seconds: nothing undoes it afterwards.
    var isAskedAbout: Bool {
        switch self {
        case .press(let button): Self.isAskedAbout(verb: button.verb)
        case .dismiss, .switchOff: true
        }
    }

    /// The same of a link's verb; a verb that this version does not know may do anything.
    static func isAskedAbout(verb: String) -> Bool {
        switch Verb(rawValue: verb) {
        case .details, .contactCourier, .leaveAtDoor, .approveSubstitution, .refuseSubstitution: false
        case .cancel, nil: true
        }
    }
}
