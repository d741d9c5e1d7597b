/// The effect of a card's button from iOS 17 on, where an app intent can act without opening the app.
///
/// Before iOS 17 each button is a link that opens the app.
public enum CardPress: Hashable, Sendable {
    /// The button opens the app, which shows more, or asks before it acts.
    case opensApp
    /// The button presses its link without opening the app.
    case acts(CardAuthentication)
}

/// The authentication required before a button acts, by the names of `IntentAuthenticationPolicy`.
public enum CardAuthentication: Hashable, Sendable {
    /// No authentication beyond the system's own.
    case alwaysAllowed
    /// The person must unlock the phone.
    case requiresAuthentication
}

extension CardButton {
    /// The effect by the button's verb; an unknown verb opens the app.
    public var press: CardPress { Verb(rawValue: verb)?.press ?? .opensApp }
}

extension Verb {
    var press: CardPress {
        switch self {
        // There is nothing to do.
        case .details: .opensApp
        // The app asks which it is.
        case .feedback: .opensApp
        // The answer is a number, which the app calls.
        case .contactCourier: .opensApp
        // Irreversible, so the app asks first.
        case .cancel: .opensApp
        // It moves the groceries out of a person's hands.
        case .leaveAtDoor: .acts(.requiresAuthentication)
        // The groceries go to a person again.
        case .handToMe: .acts(.alwaysAllowed)
        // It may cost money.
        case .approveSubstitution: .acts(.requiresAuthentication)
        // It costs nothing, and at worst the ordered item is not delivered.
        case .refuseSubstitution: .acts(.alwaysAllowed)
        }
    }
}
