import FlowControl
import Foundation
import LiveActivity
import Messages
import WireCoding

/// One message to one card, as it is leased: what is true now, under a timestamp of its own.
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
    let step: ActivityStep
    let alert: ActivityAlert?
    /// Epoch seconds, on an end; 0 takes the card off at once.
    let dismissal: Int?
    /// What the card is once the push was taken.
    let becomes: Card.State
    let fence: Int
    let leasedAt: Date
}

/// What a transport answered.
enum PushResult: Hashable, Sendable {
    case taken
    /// Surely not shown; worth another try.
    case refused
    /// Nobody knows: a connection broke before the answer.
    case unknown
    /// The card's token no longer works.
    case gone
}

extension Card {
    /// Reserves what a push needs before it is sent: its timestamp, alert, budget and fence.
    ///
    /// From here on a crash costs at most this push: the next decision renders what is true then. A start is taken as
    /// made from here on, since a second would be a second card.
    ///
    /// - Returns: nil when the decision sends nothing.
    mutating func lease(_ decision: Decision, _ wanted: ActivityStep, limits: Limits, now: Date) -> Push? {
        let push: (event: Push.Event, priority: Decision.Priority, alert: ActivityAlert?, dismissal: Int?, State)
        switch decision {
        case .start(let alert): push = (.start, .high, alert, nil, limits.isStartCertain ? .active : .starting)
        case .update(let priority, let alert): push = (.update, priority, alert, nil, .active)
        case .end(let dismissal, let becomes, let alert): push = (.end, .high, alert, dismissal, becomes)
        case .rollOver, .close, .wait, .nothing: return nil
        }
        fence += 1
        lastTimestamp = max(now.epochSeconds, lastTimestamp + 1)
        lastPushAt = now
        if let id = push.alert?.id { alertedIDs = (alertedIDs + [id]).suffix(Self.alertedIDsMax) }
        if push.priority == .high, push.event == .update { urgentPushes.spend(limits.urgentPushes, at: now) }
        if push.event == .start {
            state = .starting
            startedAt = now
        }
        return Push(
            card: id, activity: activity, event: push.event, priority: push.priority, timestamp: lastTimestamp,
            step: wanted, alert: push.alert, dismissal: push.dismissal, becomes: push.4, fence: fence, leasedAt: now)
    }

    /// Takes note of what became of a push, unless a newer one was leased since.
    ///
    /// - Returns: whether it was this card's newest.
    mutating func record(_ push: Push, _ result: PushResult, now: Date) -> Bool {
        guard push.fence == fence else { return false }
        switch result {
        case .taken:
            attempts = 0
            retryAt = nil
            // A start may have been confirmed, or the card swiped away, while the answer was under way.
            if push.event != .start || state == .starting { state = state.isOnScreen ? push.becomes : state }
            if push.event == .update, let sent, sent.content.revision == push.step.content.revision {
                refreshed = push.step.content.revision
            }
            sent = push.step
            if push.event == .end {
                dismissedAt = Date(timeIntervalSince1970: TimeInterval(push.dismissal ?? 0))
            }
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

    private mutating func backOff(_ now: Date) {
        attempts += 1
        retryAt = now.addingTimeInterval(Self.retry.delay(failures: attempts) / .seconds(1))
    }

    private static let retry = BackOff(first: .seconds(1), longest: .seconds(300))
}
