/// The outcome of a push that Apple's service accepted; the sender receives 200 in every case.
public enum PushOutcome: String, Codable, CaseIterable, Hashable, Sendable {
    /// The screen shows it.
    case applied
    /// The phone is offline; this push is kept until it is back, or a newer one replaces it.
    case stored
    /// It was stored for an offline phone, and a newer one replaced it: one is stored for each app.
    case replaced
    /// It was kept, and its expiration passed before the phone was back.
    case expired
    /// The phone was offline, and its expiration was zero.
    case notStored

    /// More pushes of priority 10 than the hour's budget.
    case budgetExhausted
    /// More starts than their own budget.
    case startBudgetExhausted

    /// No known event, or a timestamp that is no whole number of seconds.
    case unreadable
    /// A start to a card's token, or an update to the token that starts cards.
    case otherToken
    /// A replaced token, without a notice from the system to its owner: the push has no effect.
    case deafToken
    /// `attributes-type` is not the app's type.
    case otherAttributesType
    /// A part is missing that the app's type needs, or has another type.
    case undecodable
    /// More than 4 KB, or attributes and content together are.
    case tooLarge
    /// A channel was named, which the system knows from iOS 18 on.
    case channelUnsupported

    case older
    case repeated
    case alreadyEnded
    /// The card is scheduled and has not started, and this phone accepts no push for it before.
    case notStarted
    case startWithoutAlert
    case startWithoutAttributes
    case denied
    case targetMaximumExceeded

    /// The same reason of a phone's screen.
    init(_ refusal: PushRefusal) {
        switch refusal {
        case .older: self = .older
        case .repeated: self = .repeated
        case .unknownCard, .alreadyStarted: self = .otherToken
        case .startWithoutAlert: self = .startWithoutAlert
        case .startWithoutAttributes: self = .startWithoutAttributes
        case .alreadyEnded: self = .alreadyEnded
        case .denied: self = .denied
        case .targetMaximumExceeded: self = .targetMaximumExceeded
        }
    }
}
