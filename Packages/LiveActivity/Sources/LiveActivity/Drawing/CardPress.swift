/// What a button of a card does from iOS 17 on, where an app intent can act without opening the app.
///
/// Before iOS 17 each button is a link that opens the app.
public enum CardPress: Hashable, Sendable {
    /// It opens the app, which shows more, or asks before it does something.
    case opensApp
    /// It presses its link without opening the app.
    case acts(CardAuthentication)
}

/// What a person has to prove before a button acts, by the names of `IntentAuthenticationPolicy`.
public enum CardAuthentication: Hashable, Sendable {
    /// Nothing beyond what the system itself asks.
    case alwaysAllowed
    /// That the phone is theirs, by unlocking it.
    case requiresAuthentication
}

extension CardButton {
    /// By its verb; a verb that this version does not know opens the app.
    public var press: CardPress { Verb(rawValue: verb)?.press ?? .opensApp }
}

extension Verb {
    var press: CardPress {
        switch self {
        // There is nothing to do.
        case .details: .opensApp
        // The answer is a number, which the app calls.
        case .contactCourier: .opensApp
        // It cannot be taken back, so the app asks first.
        case .cancel: .opensApp
        // It moves the groceries out of a person's hands.
        case .leaveAtDoor: .acts(.requiresAuthentication)
        // It may cost money.
        case .approveSubstitution: .acts(.requiresAuthentication)
        // It costs nothing, and what was ordered is at most not delivered.
        case .refuseSubstitution: .acts(.alwaysAllowed)
        }
    }
}
