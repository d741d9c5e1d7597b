import Foundation
import LiveActivity

/// What to do about one card now.
enum Decision: Hashable, Sendable {
    case start(alert: ActivityAlert?)
    case update(Priority, alert: ActivityAlert?)
    /// - Parameters:
    ///   - dismissal: epoch seconds; 0 takes it off at once.
    ///   - becomes: what the card is once the end was taken.
    case end(dismissal: Int, becomes: Card.State, alert: ActivityAlert?)
    /// Make a card that takes this one's place; this one goes on until that one is on the screen.
    case rollOver
    /// Nothing to send; the card is over.
    case close(Card.State)
    case wait(until: Date, Reason)
    /// Until something about it changes.
    case nothing(Reason)

    enum Priority: Int, Codable, Sendable {
        /// Drift: costs no budget, and goes when it suits the phone.
        case low = 5
        /// What a person acts on.
        case high = 10
    }

    /// Why a card does not show the wanted state, or why nothing is to do; an open code in HTTP and logs.
    enum Reason: String, CaseIterable, Codable, Sendable {
        case upToDate = "up_to_date"
        case notYet = "not_yet"
        case endedBeforeStart = "ended_before_start"
        case switchedOff = "switched_off"
        case otherCustomer = "other_customer"
        case noStartToken = "no_start_token"
        case startInFlight = "start_in_flight"
        case tooManyCards = "too_many_cards"
        case startBudget = "start_budget"
        case unconfirmed
        case throttled
        case retrying
        case ended
        case over
        case inFlight = "in_flight"
    }
}
