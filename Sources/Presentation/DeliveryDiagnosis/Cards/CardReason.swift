/// Why a card does not show the wanted state, by the codes of `activity-dispatch`, with its meaning and remedy.
///
/// The codes are open: an unknown code is shown unchanged.
package enum CardReason: String, CaseIterable, Sendable {
    case switchedOff = "switched_off"
    case noStartToken = "no_start_token"
    case startFailed = "start_failed"
    case oldSystem = "old_system"
    case noUpdateToken = "no_update_token"
    case tooManyCards = "too_many_cards"
    case otherCustomer = "other_customer"
    case notYet = "not_yet"
    case scheduled
    case endedBeforeStart = "ended_before_start"
    case startInFlight = "start_in_flight"
    case startBudget = "start_budget"
    case unconfirmed
    case throttled
    case inFlight = "in_flight"
    case retrying
    case halted
    case appRefused = "app_refused"
    case queueFull = "queue_full"
    case payloadTooLarge = "payload_too_large"
    case payloadUnreadable = "payload_unreadable"

    /// Whether the device cannot show the card, so that nothing that is sent again changes anything.
    package var isOfDevice: Bool {
        switch self {
        case .switchedOff, .noStartToken, .startFailed, .oldSystem, .tooManyCards, .otherCustomer: true
        case .notYet, .scheduled, .endedBeforeStart, .startInFlight, .startBudget, .unconfirmed, .throttled, .inFlight,
            .retrying, .noUpdateToken, .halted, .appRefused, .queueFull, .payloadTooLarge, .payloadUnreadable:
            false
        }
    }

    /// The device's fault, as a clause that follows the device's name.
    package var clause: String {
        switch self {
        case .switchedOff: "cannot show it: its owner has switched Live Activities off"
        case .noStartToken: "cannot show it: the app was never allowed Live Activities, or was not opened since"
        case .startFailed: "could not show it: its app reported that iOS refused the card"
        case .oldSystem: "cannot be sent it: its system is older than iOS 17.2, so only the app can start it"
        case .noUpdateToken: "shows a card that cannot be changed, since its app has not sent the card's token"
        case .tooManyCards: "shows as many cards as it may, and this one when one of them ends"
        case .otherCustomer: "shows another customer's or another store's cards now"
        case .notYet: "gets its card later: when picking begins, or 90 minutes before the promised window"
        case .scheduled: "starts its card later by itself, since its app has scheduled it"
        case .endedBeforeStart: "had no card for it when the delivery ended"
        case .startInFlight: "has another card for it that the app has not confirmed yet"
        case .startBudget: "has used up its budget of new cards for now"
        case .unconfirmed: "was sent a new card and has not confirmed that it shows it"
        case .throttled: "gets the push within seconds"
        case .inFlight: "is waiting for Apple's answer to the push"
        case .retrying: "did not accept the push, which is sent again"
        case .halted: "gets nothing: Apple accepts no push with this key or for this app"
        case .appRefused: "gets nothing: Apple accepts no push for its app, which Doorstep is not set up for"
        case .queueFull: "waits: more pushes are queued for Apple than one process sends at once"
        case .payloadTooLarge: "gets no push, because the content is larger than a push may be"
        case .payloadUnreadable: "gets no push, because no phone could read the content"
        }
    }

    /// The remedy for a person; nil where none exists or none is needed.
    package var advice: Advice? {
        switch self {
        case .switchedOff: "tell the customer to allow Live Activities for this app in Settings"
        case .noStartToken: "tell the customer to open the app once and to allow Live Activities"
        case .startFailed: "nothing: the app tries again; a Live Activity of another app may have to end first"
        case .oldSystem: "tell the customer to open the app, which then starts the card"
        case .noUpdateToken: "tell the customer to open the app once, which then sends the token"
        case .tooManyCards: "nothing, or end a card of the same customer: \(action: .endCard)"
        case .otherCustomer: "tell the customer to open the app and to sign in, if the device is theirs"
        case .startBudget: "nothing: it is sent when the budget has filled again; a resend waits for the same"
        case .unconfirmed, .startInFlight: "tell the customer to open the app: an iPhone then reports what it shows"
        case .halted:
            "tell who is on call: the log of activity-dispatch has Apple's reason, and the settings to correct"
        case .appRefused:
            "nothing where the app is none of yours; else tell who runs Doorstep that its key may not push to the app"
        case .payloadTooLarge, .payloadUnreadable:
            "report it as a fault of Doorstep, with this text; the next change of the delivery is sent if it fits"
        case .queueFull:
            "nothing: it is sent by itself; if it lasts, tell who runs Doorstep: Apple may not answer, or answer slowly"
        case .notYet, .scheduled, .endedBeforeStart, .throttled, .inFlight, .retrying: nil
        }
    }
}
