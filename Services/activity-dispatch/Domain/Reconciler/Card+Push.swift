import FlowControl
import Foundation
import LiveActivity
import Messages
import WireCoding

/// One message to one card, as it is leased: the wanted state under a timestamp of its own.
struct Push: Hashable, Sendable {
    enum Event: String, Codable, Sendable {
        case start, update, end
    }

    let card: UUID
    let activity: ActivityID
    let event: Event
    let priority: Decision.Priority
    /// Epoch seconds, higher than any that this card had.
    let timestamp: Int
    /// The wanted state that it carries.
    let wanted: ActivityStep
    let alert: ActivityAlert?
    /// Epoch seconds, on an end; 0 dismisses the card at once.
    let dismissal: Int?
    /// The card's state once the transport has accepted the push.
    let becomes: Card.State
    /// The card's fencing token when the push was leased.
    let fencingToken: Int
    let leasedAt: Date
    /// The span in which its state was wanted, as the header `traceparent` has it; nil without one.
    var traceparent: String?
}

/// What a transport answered.
enum PushResult: Hashable, Sendable {
    case taken
    /// Certainly not shown; retried with back-off.
    case refused
    /// Unknown whether it was shown: the connection broke before the answer.
    case unknown
    /// The card's token no longer works.
    case gone
}

extension Card {
    /// Reserves what a push needs before it is sent: its timestamp, alert, budget and fencing token.
    ///
    /// From here on a crash costs at most this push: the next decision renders the wanted state of that time. A
    /// start counts as made from here on, since a second would be a second card.
    ///
    /// - Returns: nil when the decision sends nothing.
    mutating func lease(_ decision: Decision, _ wanted: ActivityStep, limits: Limits, now: Date) -> Push? {
        let event: Push.Event
        let priority: Decision.Priority
        let alert: ActivityAlert?
        let dismissal: Int?
        let becomes: State
        switch decision {
        case .start(let due):
            (event, priority, alert, dismissal) = (.start, .high, due, nil)
            becomes = limits.isStartCertain ? .active : .starting
        case .update(let urgency, let due):
            (event, priority, alert, dismissal, becomes) = (.update, urgency, due, nil, .active)
        case .end(let date, let state, let due):
            (event, priority, alert, dismissal, becomes) = (.end, .high, due, date, state)
        case .rollOver, .close, .wait, .nothing: return nil
        }
        fencingToken += 1
        lastTimestamp = max(now.epochSeconds, lastTimestamp + 1)
        lastPushAt = now
        if let id = alert?.id { alertedIDs = (alertedIDs + [id]).suffix(Self.alertedIDsMax) }
        if priority == .high, event == .update { urgentPushes.spend(limits.urgentPushes, at: now) }
        if event == .start {
            state = .starting
            startedAt = now
        }
        inFlight = InFlight(event: event, becomes: becomes)
        return Push(
            card: id, activity: activity, event: event, priority: priority, timestamp: lastTimestamp, wanted: wanted,
            alert: alert, dismissal: dismissal, becomes: becomes, fencingToken: fencingToken, leasedAt: now)
    }

    /// Records the result of a push, unless a newer one was leased since.
    ///
    /// - Returns: whether the push was this card's newest.
    mutating func record(_ push: Push, _ result: PushResult, now: Date) -> Bool {
        guard push.fencingToken == fencingToken else { return false }
        // After an unknown result it may have arrived all the same.
        if result != .unknown { inFlight = nil }
        switch result {
        case .taken: recordTaken(push)
        case .refused:
            if push.event == .start, state == .starting { (state, startedAt) = (.waiting, nil) }
            backOff(now)
        case .unknown:
            backOff(now)
        case .gone:
            if push.event == .start {
                (state, startedAt) = (.waiting, nil)
                backOff(now)
            } else {
                state = .lost
            }
        }
        return true
    }

    private mutating func recordTaken(_ push: Push) {
        attempts = 0
        retryAt = nil
        // The start may have been confirmed, or the card swiped away, before the result arrived.
        if push.event != .start || state == .starting { state = state.isOnScreen ? push.becomes : state }
        let revision = push.wanted.content.revision
        if push.event == .update, sent?.content.revision == revision { refreshed = revision }
        sent = push.wanted
        if push.event == .end { dismissedAt = Date(timeIntervalSince1970: TimeInterval(push.dismissal ?? 0)) }
    }

    private mutating func backOff(_ now: Date) {
        attempts += 1
        retryAt = now.addingTimeInterval(Self.retry.delay(failures: attempts) / .seconds(1))
    }

    private static let retry = BackOff(first: .seconds(1), longest: .seconds(300))
}
