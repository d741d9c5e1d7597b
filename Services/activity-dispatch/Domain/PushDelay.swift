/// Why a push was leased later than its state was wanted, or at a lower priority.
enum PushDelay: RawRepresentable, Hashable, Sendable {
    /// The budget of priority 10 was used up, so that the phone decided when to show it.
    case budget
    /// The card waited for this reason.
    case reason(Decision.Reason)

    init?(rawValue: String) {
        if rawValue == Self.budget.rawValue {
            self = .budget
        } else if let reason = Decision.Reason(rawValue: rawValue) {
            self = .reason(reason)
        } else {
            return nil
        }
    }

    var rawValue: String {
        switch self {
        case .budget: "budget"
        case .reason(let reason): reason.rawValue
        }
    }

    /// - Parameter waited: the reason for which the card was last left without a push; nil for a new card.
    init?(of push: Push, waited: Decision.Reason?) {
        if push.isDowngraded {
            self = .budget
        } else if let waited, waited.isWait {
            self = .reason(waited)
        } else {
            return nil
        }
    }
}

extension Decision.Reason {
    /// Whether a card left for this reason did not show a wanted state that was known then.
    fileprivate var isWait: Bool {
        switch self {
        case .throttled, .retrying, .startBudget, .noUpdateToken, .noStartToken, .unconfirmed, .halted, .appRefused,
            .queueFull, .startInFlight, .tooManyCards, .startFailed, .inFlight, .payloadTooLarge, .payloadUnreadable,
            .switchedOff, .oldSystem:
            true
        case .upToDate, .notYet, .scheduled, .endedBeforeStart, .otherCustomer, .ended, .over: false
        }
    }
}
