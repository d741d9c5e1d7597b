import Foundation
import LiveActivity

/// The next action for one card.
enum Decision: Hashable, Sendable {
    case start(alert: ActivityAlert?)
    case update(Priority, alert: ActivityAlert?)
    /// - Parameters:
    ///   - dismissal: epoch seconds; 0 dismisses it at once.
    ///   - becomes: the card's state once the transport has accepted the end.
    case end(dismissal: Int, becomes: Card.State, alert: ActivityAlert?)
    /// Make a card that replaces this one; this one stays until the new one is on the screen and can be changed, or where
    /// the phone is full, until the new one can start.
    case rollOver
    /// The start was leased and never sent: the card waits again.
    case withdrawStart
    /// No push is needed; the card is over.
    case close(Card.State)
    case wait(until: Date, Reason)
    /// No action until the card changes.
    case nothing(Reason)

    enum Priority: Int, Codable, Sendable {
        /// Drift: costs no budget, and the phone decides when it is delivered.
        case low = 5
        /// A change that a person acts on.
        case high = 10
    }

    /// Why a card does not show the wanted state, or why there is nothing to do; an open code in HTTP and logs.
    enum Reason: String, CaseIterable, Codable, Sendable {
        case upToDate = "up_to_date"
        case notYet = "not_yet"
        /// The app has scheduled the card: the phone starts it without a push.
        case scheduled
        case endedBeforeStart = "ended_before_start"
        case switchedOff = "switched_off"
        case otherCustomer = "other_customer"
        case noStartToken = "no_start_token"
        /// Its system is older than the first version with starts by push.
        case oldSystem = "old_system"
        /// The card is on the screen, and its app has uploaded no update token.
        case noUpdateToken = "no_update_token"
        /// Pushes for its app are halted until the configuration is corrected.
        case halted
        /// Apple refuses its app, which is not configured and for which it has accepted no push.
        case appRefused = "app_refused"
        /// The queue of pushes is full.
        case queueFull = "queue_full"
        case startInFlight = "start_in_flight"
        case tooManyCards = "too_many_cards"
        case startBudget = "start_budget"
        /// The app could not start a card.
        case startFailed = "start_failed"
        case unconfirmed
        case throttled
        case retrying
        case ended
        case over
        case inFlight = "in_flight"
        /// No payload of the state fits into a push; the card waits for another state.
        case payloadTooLarge = "payload_too_large"
        /// No phone could decode the state; the card waits for another state.
        case payloadUnreadable = "payload_unreadable"
    }
}
