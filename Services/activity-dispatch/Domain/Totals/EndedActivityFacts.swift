import Foundation
import LiveActivity
import Messages
import OrderDomain

/// The ended activity of a delivery with the facts that totals need.
struct EndedActivityFacts: Sendable {
    let id: ActivityID
    let store: StoreID
    /// The store's name and time zone, as the activity had them.
    let storeName: String
    let timeZone: String
    /// Domain time.
    let endedAt: Date
}

/// A card of an ended activity with the facts that totals need.
struct CardFacts: Sendable {
    let id: UUID
    let activity: ActivityID
    let device: DeviceID
    let appVersion: String?
    let osVersion: String?
    let transport: Device.Transport
    let permission: Device.Permission
    let state: Card.State
    let startedAt: Date?
    let dismissedAt: Date?
}

/// A card's pushes, folded one after the other in the order of their leases.
struct PushFacts: Sendable {
    /// Seconds within which a change is to be shown, and an end to be sent.
    static let onTimeMax: TimeInterval = 30
    /// Seconds that the way of a change to its push normally lasts.
    static let leasedWithin: TimeInterval = 5

    private(set) var totals = CardTotals()
    /// The lease of the first end that was accepted.
    private(set) var endedAt: Date?
    private var newest: Revision?
    private var start: (sentAt: Date, seenAt: Date?)?

    mutating func add(_ push: LedgerPush) {
        guard push.mayHaveArrived else { return }
        let isChange = newest.map { $0 < push.revision } ?? true
        newest = max(push.revision, newest ?? push.revision)
        if push.event == .end, push.result == "taken" { endedAt = min(push.sentAt, endedAt ?? push.sentAt) }
        if push.event == .start {
            let seenAt = [start?.seenAt, push.seenAt].compactMap(\.self).min()
            // A start is sent again only where the former one certainly made no card.
            start = (push.sentAt, seenAt)
        } else if isChange {
            addChange(push)
        }
    }

    /// Adds a state that the card did not have; a row from before the times of changes were kept is not counted.
    private mutating func addChange(_ push: LedgerPush) {
        guard let wantedAt = push.wantedAt else { return }
        totals[.changes] += 1
        if let seenAt = push.seenAt { totals.changeSeconds.add(seenAt.timeIntervalSince(wantedAt)) }
        if let cause = push.lateCause(since: wantedAt) { totals[cause] += 1 }
    }

    /// The totals of the card's pushes to Apple.
    var measured: CardTotals {
        var totals = totals
        if let start {
            totals[.starts] += 1
            if let seenAt = start.seenAt { totals.startSeconds.add(seenAt.timeIntervalSince(start.sentAt)) }
        }
        return totals
    }
}

extension LedgerPush {
    /// Why the change that it carried was late; nil where the change was not late, or nothing is known.
    fileprivate func lateCause(since wantedAt: Date) -> CardTotals.Count? {
        let known = [seenAt, seenAt == nil ? missedAt : nil, sentAt].compactMap(\.self)[0]
        guard known.timeIntervalSince(wantedAt) > PushFacts.onTimeMax else { return nil }
        guard let delay else {
            return sentAt.timeIntervalSince(wantedAt) > PushFacts.leasedWithin ? .lateOtherwise : .lateOffline
        }
        switch delay {
        case .budget: return .lateByBudget
        case .reason(let reason):
            guard sentAt.timeIntervalSince(wantedAt) > PushFacts.leasedWithin else { return .lateOffline }
            switch reason {
            case .throttled: return .lateByThrottle
            case .startBudget: return .lateByBudget
            case .noUpdateToken, .noStartToken, .unconfirmed: return .lateWithoutToken
            case .upToDate, .notYet, .scheduled, .endedBeforeStart, .switchedOff, .otherCustomer, .oldSystem, .halted,
                .queueFull, .startInFlight, .tooManyCards, .startFailed, .retrying, .ended, .over, .inFlight,
                .payloadTooLarge, .payloadUnreadable:
                return .lateOtherwise
            }
        }
    }
}

extension CardFacts {
    /// The card's totals.
    ///
    /// Only pushes to Apple are measured: a device's stream keeps no record of what its screen shows.
    func totals(of pushes: PushFacts, endedAt: Date) -> CardTotals {
        var totals = transport == .apns ? pushes.measured : CardTotals()
        guard let startedAt else { return totals }
        totals[.cards] += 1
        if state == .swiped { totals[.swiped] += 1 }
        if isDueToEnd(pushes) {
            totals[.ends] += 1
            if let sentAt = pushes.endedAt, sentAt.timeIntervalSince(endedAt) <= PushFacts.onTimeMax {
                totals[.endsOnTime] += 1
            }
        }
        if let leftAt = leftScreenAt(pushes.endedAt) {
            totals[.timedCards] += 1
            totals[.screenSeconds] += max(0, Int(leftAt.timeIntervalSince(startedAt).rounded()))
        }
        return totals
    }

    /// Whether it was on a screen when its delivery ended: one that was replaced, or whose customer signed out, had left.
    private func isDueToEnd(_ pushes: PushFacts) -> Bool {
        switch state {
        case .starting, .active: true
        case .ended, .dismissed, .swiped, .lost: pushes.endedAt != nil
        case .waiting, .replaced, .signedOut: false
        }
    }

    /// When the card left the screen, or is to leave it; nil where that is not known.
    private func leftScreenAt(_ endedAt: Date?) -> Date? {
        switch state {
        case .ended, .dismissed:
            // A card that is dismissed at once has a dismissal in the past.
            [dismissedAt, endedAt].compactMap(\.self).max()
        case .replaced, .signedOut: endedAt
        case .swiped: dismissedAt
        case .waiting, .starting, .active, .lost: nil
        }
    }
}
