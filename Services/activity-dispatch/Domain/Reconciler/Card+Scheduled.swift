import Foundation
import LiveActivity
import WireCoding

/// A card that its app has scheduled on the phone, which starts it without a push (iOS 26).
extension Card {
    /// Seconds by which a start may differ from the wanted one: a smaller difference does not justify another card.
    private static let startDifferenceMax = 60

    /// Whether the phone starts it when it is wanted; nothing that has ended is.
    func isOnTime(for wanted: ActivityStep) -> Bool {
        guard let scheduledAt, case .show(let shown) = wanted else { return false }
        return abs(shown.startAt - scheduledAt.epochSeconds) <= Self.startDifferenceMax
    }

    /// Whether the phone is to start it after a time.
    func isScheduled(after time: Date) -> Bool { isScheduled && scheduledAt.map { time < $0 } ?? false }

    /// Records that its app has scheduled it, and the token that can end it.
    mutating func schedule(_ instance: String, at time: Date, token: PushToken) {
        guard state == .waiting else { return }
        (self.instance, scheduledAt) = (instance, time)
        accept(token)
    }

    /// Records that the card is no longer scheduled on the phone: a push starts it when its time comes.
    mutating func unschedule() {
        (instance, scheduledAt, updateToken, sent, inFlight) = (nil, nil, nil, nil, nil)
        (failures, endRepeatAt) = (Failures(), nil)
        // A result that is yet to come is about the one that was scheduled.
        fencingToken += 1
    }

    /// Records that the phone has started it; its shown state is unknown.
    mutating func startByItself(_ now: Date) {
        guard isScheduled, let scheduledAt else { return }
        (state, startedAt) = (.active, min(scheduledAt, now))
    }

    /// Applies that it has left the phone: before its time it was on no screen, so that its owner has not swiped it away.
    ///
    /// - Returns: whether the report is applied completely.
    mutating func applyLeft(at time: Date, _ now: Date) -> Bool {
        guard isScheduled, let scheduledAt else { return false }
        guard time >= scheduledAt else {
            unschedule()
            return true
        }
        startByItself(now)
        return false
    }

    /// Whether an instance that has left the phone may be the one that a push started, and not a scheduled one that left
    /// before.
    func mayBeShown(as instance: String?, until time: Date?) -> Bool {
        guard !isUnscheduled else { return false }
        guard state == .starting, self.instance == nil, instance != nil, let time, let startedAt else { return true }
        return time >= startedAt.addingTimeInterval(-Limits.clockDifferenceMax)
    }

    /// Whether the phone starts it after its newest push, which the phone may have ignored.
    var isNotSentSinceStart: Bool { scheduledAt.map { (lastPushAt ?? .distantPast) < $0 } ?? false }

    /// The time to repeat the end of a scheduled card, since the phone may ignore a push to a pending activity.
    func endRepeatAfterStart(_ now: Date) -> Date? {
        guard isScheduled, let scheduledAt, scheduledAt > now else { return nil }
        return scheduledAt.addingTimeInterval(Self.deliveryGrace)
    }
}
