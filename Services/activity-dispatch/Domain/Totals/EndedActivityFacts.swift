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
    /// Domain time since which the delivery's first end is known.
    let endedAt: Date
}

/// A card of an ended activity with the facts that totals need.
struct CardFacts: Sendable {
    let id: UUID
    let activity: ActivityID
    let device: DeviceID
    /// Of the device when the card started, as are the others.
    let appVersion: String?
    let osVersion: String?
    let transport: Device.Transport
    let permission: Device.Permission
    let state: Card.State
    let startedAt: Date?
    let dismissedAt: Date?
    /// Whether its app reported the card itself.
    let isReported: Bool
}

/// A card's pushes, folded one after the other in the order of their leases.
struct PushFacts: Sendable {
    /// Seconds within which a change is to be shown, and an end to be sent.
    static let onTimeMax: TimeInterval = 30
    /// Seconds that the way of a change to its push normally lasts.
    static let leasedWithin: TimeInterval = 5

    private var totals = CardTotals()
    /// The first end that was accepted: its lease, and when it was wanted; of before that was kept, without.
    private(set) var end: (sentAt: Date, wantedAt: Date?)?
    /// Whether a push proves that the card was on a screen: its app reported the start, or it had a token of its own.
    private(set) var isConfirmed = false
    private var start: (sentAt: Date, seenAt: Date?)?
    /// The newest state that the card was sent, with what is known of all pushes that carried it.
    private var newest: LedgerPush?

    mutating func add(_ push: LedgerPush) {
        guard push.mayHaveArrived else { return }
        if push.event == .end, push.result == "taken", push.sentAt < end?.sentAt ?? .distantFuture {
            end = (push.sentAt, push.wantedAt)
        }
        if push.seenAt != nil || push.event != .start && push.result == "taken" { isConfirmed = true }
        if push.event == .start { addStart(push) }
        guard let known = newest, known.revision >= push.revision else {
            Self.add(newest, to: &totals)
            newest = push
            return
        }
        if known.revision == push.revision { newest?.merge(push) }
    }

    /// Adds a start: the one that was seen first counts, else the last one.
    ///
    /// A start is sent again only where the former one certainly made no card, as far as its result is known.
    private mutating func addStart(_ push: LedgerPush) {
        if let seenAt = start?.seenAt, seenAt < push.seenAt ?? .distantFuture { return }
        start = (push.sentAt, push.seenAt)
    }

    /// Adds a state that the card did not have; a row from before the times of changes were kept is not counted.
    private static func add(_ push: LedgerPush?, to totals: inout CardTotals) {
        guard let push, push.event != .start, let wantedAt = push.wantedAt else { return }
        totals[.changes] += 1
        if let seenAt = push.seenAt { totals.changeSeconds.add(seenAt.timeIntervalSince(wantedAt)) }
        if let cause = push.lateCause(since: wantedAt) { totals[cause] += 1 }
    }

    /// The totals of the card's pushes to Apple.
    var measured: CardTotals {
        var totals = totals
        Self.add(newest, to: &totals)
        if let start {
            totals[.starts] += 1
            if let seenAt = start.seenAt { totals.startSeconds.add(seenAt.timeIntervalSince(start.sentAt)) }
        }
        return totals
    }
}

extension LedgerPush {
    /// Joins what is known of a repeat of the same state: the phone showed it with the first of them that arrived.
    fileprivate mutating func merge(_ other: LedgerPush) {
        // A start has its own reports, which are no update's.
        guard event != .start, other.event != .start else { return }
        seenAt = [seenAt, other.seenAt].compactMap(\.self).min()
        missedAt = [missedAt, other.missedAt].compactMap(\.self).max()
    }

    /// Why the change that it carried was late; nil where the change was not late, or nothing is known.
    ///
    /// A change is late where it was sent late, or where an app ran later and did not have it. A late report with it
    /// proves only that the app ran late.
    fileprivate func lateCause(since wantedAt: Date) -> CardTotals.Count? {
        let isSeenInTime = seenAt.map { $0.timeIntervalSince(wantedAt) <= PushFacts.onTimeMax } ?? false
        let isMissed = missedAt.map { $0.timeIntervalSince(wantedAt) > PushFacts.onTimeMax } ?? false
        let waited = sentAt.timeIntervalSince(wantedAt)
        guard waited > PushFacts.onTimeMax || isMissed && !isSeenInTime else { return nil }
        if delay == .budget { return .lateByBudget }
        guard waited > PushFacts.leasedWithin else { return .lateOffline }
        guard case .reason(let reason) = delay else { return .lateOtherwise }
        switch reason {
        case .throttled: return .lateByThrottle
        case .startBudget: return .lateByBudget
        case .noUpdateToken, .noStartToken, .unconfirmed: return .lateWithoutToken
        case .upToDate, .notYet, .scheduled, .endedBeforeStart, .switchedOff, .otherCustomer, .oldSystem, .halted,
            .appRefused, .queueFull, .startInFlight, .tooManyCards, .startFailed, .retrying, .ended, .over, .inFlight,
            .payloadTooLarge, .payloadUnreadable:
            return .lateOtherwise
        }
    }
}

extension CardFacts {
    /// Whether it was on a screen, as far as is known: a start that nothing confirmed may have been shown nowhere.
    func isShown(_ pushes: PushFacts) -> Bool {
        guard startedAt != nil else { return false }
        return switch state {
        case .active, .ended, .dismissed, .swiped, .replaced, .signedOut: true
        case .lost: isReported || pushes.isConfirmed
        case .waiting, .starting: false
        }
    }

    /// The card's totals.
    ///
    /// Only pushes to Apple are measured: a device's stream keeps no record of what its screen shows.
    func totals(of pushes: PushFacts, endedAt: Date) -> CardTotals {
        var totals = transport == .apns ? pushes.measured : CardTotals()
        guard let startedAt else { return totals }
        totals[.started] += 1
        guard isShown(pushes) else { return totals }
        totals[.cards] += 1
        if state == .swiped { totals[.swiped] += 1 }
        if isDueToEnd(pushes) {
            totals[.ends] += 1
            // An end that was reported late is judged from its report on.
            if let end = pushes.end,
                end.sentAt.timeIntervalSince(max(endedAt, end.wantedAt ?? endedAt)) <= PushFacts.onTimeMax
            {
                totals[.endsOnTime] += 1
            }
        }
        if let leftAt = leftScreenAt(pushes.end?.sentAt) {
            totals[.timedCards] += 1
            totals[.screenSeconds] += max(0, Int(leftAt.timeIntervalSince(startedAt).rounded()))
        }
        return totals
    }

    /// Whether it was on a screen when its delivery ended: one that was replaced, or whose customer signed out, had left.
    private func isDueToEnd(_ pushes: PushFacts) -> Bool {
        switch state {
        case .active: true
        case .ended, .dismissed, .swiped, .lost: pushes.end != nil
        case .waiting, .starting, .replaced, .signedOut: false
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
