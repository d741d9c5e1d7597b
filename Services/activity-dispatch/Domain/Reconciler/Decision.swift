import Foundation
import LiveActivity

/// What to do about one card now.
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
    /// Its start was leased and never left: it waits again.
    case withdrawStart
    /// Nothing to send; the card is over.
    case close(Card.State)
    case wait(until: Date, Reason)
    /// Nothing to do until something about it changes.
    case nothing(Reason)

    enum Priority: Int, Codable, Sendable {
        /// Drift: costs no budget, and the phone decides when it is delivered.
        case low = 5
        /// What a person acts on.
        case high = 10
    }

    /// Why a card does not show the wanted state, or why there is nothing to do; an open code in HTTP and logs.
    enum Reason: String, CaseIterable, Codable, Sendable {
        case upToDate = "up_to_date"
        case notYet = "not_yet"
        case endedBeforeStart = "ended_before_start"
        case switchedOff = "switched_off"
        case otherCustomer = "other_customer"
        case noStartToken = "no_start_token"
        /// Its system is older than the first that takes starts from a server.
        case oldSystem = "old_system"
        /// It is on the screen, and its app has uploaded no token that updates it.
        case noUpdateToken = "no_update_token"
        /// Nothing can be sent for its app until the configuration is mended.
        case halted
        /// As many pushes wait to be sent as may.
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
        /// No payload of it fits one push; nothing is sent until its writer says something else.
        case payloadTooLarge = "payload_too_large"
        /// No phone could read it; nothing is sent until its writer says something else.
        case payloadUnreadable = "payload_unreadable"
    }
}
