import Foundation
import LiveActivity

/// An app's report about a card.
enum CardReport: Hashable, Sendable {
    /// The card is on the screen; with its update token, where there is one.
    case started(updateToken: PushToken?)
    /// The app has scheduled the card, for this time; nil where the app does not know the time.
    case pending(startAt: Date?)
    /// The card shows the content of this revision.
    case shown(Revision?)
    /// The system ended it.
    case ended
    /// The card left the screen.
    case dismissed
    case stale
}

extension Card {
    /// Seconds that a push may be under way: a report of the previous state before then proves no loss.
    static let deliveryGrace: TimeInterval = 10
    /// Seconds in which a start that APNs keeps for a phone may still arrive: ten minutes.
    static let startArrivalMax: TimeInterval = 600

    /// Applies an app's report.
    ///
    /// Only a report confirms a start; a card that shows an older state than the last push is pushed again.
    /// - Parameters:
    ///   - happenedAt: by the phone's clock, which may be wrong: a live card began at most eight hours ago and not in
    ///     the future.
    ///   - isReplaced: whether a replacement of this card is on the screen, so that the service ends this one.
    ///   - isSwitchedOff: whether the phone's owner has switched Live Activities off, which ends every card.
    ///   - losesPushes: whether pushes to the phone may be lost, so that an older state proves a loss.
    mutating func apply(
        _ report: CardReport, at now: Date, happenedAt: Date? = nil, isReplaced: Bool = false,
        isSwitchedOff: Bool = false, losesPushes: Bool = true
    ) {
        if report == .ended || report == .dismissed, applyLeft(at: min(happenedAt ?? now, now), now) { return }
        switch report {
        case .started(let token):
            if let token { accept(token) }
            switch state {
            case .waiting where isScheduled: startByItself(now)
            case .waiting, .starting:
                if state == .waiting { startedAt = Self.plausibleStart(happenedAt, now) }
                state = .active
            case .active, .ended, .dismissed, .swiped, .replaced, .signedOut, .lost: break
            }
        // Whether it counts depends on its instance and token.
        case .pending: break
        case .shown(let revision): applyShown(revision, now, losesPushes: losesPushes)
        case .ended:
            if state.isOnScreen {
                // An end that has no result yet has arrived.
                state = inFlight.flatMap { $0.event == .end ? $0.becomes : nil } ?? .ended
                dismissedAt = removal(endedAt: min(happenedAt ?? now, now))
            } else {
                // The end has arrived.
                endRepeatAt = nil
            }
        case .dismissed:
            applyDismissed(isReplaced: isReplaced, isSwitchedOff: isSwitchedOff, at: min(happenedAt ?? now, now))
        case .stale: break
        }
    }

    /// Stores an uploaded token; a late upload changes nothing.
    ///
    /// Failures of the former token do not count for a new one.
    /// - Returns: whether the token differs from the known one.
    @discardableResult
    mutating func accept(_ token: PushToken) -> Bool {
        guard token.replaces(updateToken) else { return false }
        let isAnother = token.value != updateToken?.value
        updateToken = token
        if isAnother {
            failures = Failures()
            if rejected?.refusal != nil { rejected = nil }
        }
        return isAnother
    }

    private mutating func applyShown(_ revision: Revision?, _ now: Date, losesPushes: Bool) {
        if state == .starting { state = .active }
        guard let revision else { return }
        noteShown(revision)
        guard losesPushes, let sent, revision < sent.content.revision, isDelivered(by: now) else { return }
        switch state {
        case .active: (self.sent, refreshed) = (nil, sent.content.revision)
        case .ended, .dismissed, .replaced, .signedOut: sendEndAgain()
        case .waiting, .starting, .swiped, .lost: break
        }
    }

    /// A card that the service ended was not swiped away, even where the result of that push is still outstanding.
    private mutating func applyDismissed(isReplaced: Bool, isSwitchedOff: Bool, at time: Date) {
        endRepeatAt = nil
        defer { noteGone(at: time) }
        switch state {
        case .starting, .active:
            if let inFlight, inFlight.event == .end {
                state = inFlight.becomes == .ended ? .dismissed : inFlight.becomes
            } else if isReplaced {
                state = .replaced
            } else if isSwitchedOff {
                (state, isRemovedBySwitch) = (.lost, true)
            } else {
                state = isBeforeRemoval(time, systemRemoval) ? .swiped : .dismissed
            }
        case .ended:
            // The system leaves cards that it ended on the Lock Screen: the owner has removed one of an open order.
            let isOpen = inFlight?.event != .end && sent.map { !$0.isEnd } ?? false
            let isOwners =
                isOpen && !isReplaced && !isSwitchedOff && dismissedAt.map { isBeforeRemoval(time, $0) } ?? false
            state = isOwners ? .swiped : .dismissed
        case .lost where isSwitchedOff: isRemovedBySwitch = isRemovedBySwitch || dismissedAt == nil
        // The same report once more, or late, after the switch is on again.
        case .lost where isRemovedBySwitch: break
        case .lost:
            // The card was missing at the app's last report, and now the app reports a dismissal: the system ends none
            // before eight hours.
            let systemEndsAt = startedAt?.addingTimeInterval(Limits.systemActiveMax) ?? .distantPast
            if !isReplaced, time < systemEndsAt { state = .swiped }
        case .waiting, .dismissed, .swiped, .replaced, .signedOut: break
        }
    }

    /// When the system removes the card: four hours after its end, which is at the latest eight hours after its start.
    private func removal(endedAt: Date) -> Date {
        let removal = endedAt.addingTimeInterval(TimeInterval(Dismissal.keptSecondsMax))
        return systemRemoval.map { min($0, removal) } ?? removal
    }

    /// When the system has removed it at the latest; a start that arrives late moves that, and so does no swipe.
    private var systemRemoval: Date? {
        startedAt?.addingTimeInterval(Limits.systemActiveMax + TimeInterval(Dismissal.keptSecondsMax))
    }

    /// Whether the card left too early for a removal by the system, whose clock differs from the service's.
    private func isBeforeRemoval(_ time: Date, _ removal: Date?) -> Bool {
        removal.map { time < $0.addingTimeInterval(-Limits.clockDifferenceMax) } ?? true
    }

    /// Applies that the app sees it live on the phone: an end that was sent longer ago was lost, where pushes may be.
    mutating func applySeenLive(_ revision: Revision, at now: Date, losesPushes: Bool = true) {
        apply(.started(updateToken: nil), at: now)
        applyShown(revision, now, losesPushes: losesPushes)
        if losesPushes, state == .ended, inFlight == nil, isDelivered(by: now) { sendEndAgain() }
    }

    /// Applies that the app does not see the card on the phone.
    ///
    /// - Parameters:
    ///   - seenAt: the time of the app's observation; a push sent around then may have arrived later.
    ///   - isSwitchedOff: whether the phone's owner has switched Live Activities off, which ends every card.
    /// - Returns: whether the card should exist, so that another may start in its place.
    mutating func applyMissing(seenAt: Date, isSwitchedOff: Bool = false) -> Bool {
        defer { noteGone(at: seenAt) }
        let begun = max(startedAt ?? .distantPast, lastPushAt ?? .distantPast)
        switch state {
        case .starting where seenAt >= begun.addingTimeInterval(Self.startArrivalMax):
            (state, isRemovedBySwitch) = (.lost, isSwitchedOff)
            return true
        case .active where seenAt >= (startedAt ?? .distantPast).addingTimeInterval(Self.deliveryGrace):
            if let inFlight, inFlight.event == .end {
                // The end that has no result yet has arrived.
                state = inFlight.becomes == .ended ? .dismissed : inFlight.becomes
                return false
            }
            (state, isRemovedBySwitch) = (.lost, isSwitchedOff)
            return true
        case .ended:
            (state, endRepeatAt) = (.dismissed, nil)
            return false
        case .dismissed, .replaced, .signedOut:
            endRepeatAt = nil
            return false
        case .waiting where isScheduled:
            unschedule()
            return false
        case .lost:
            if isSwitchedOff {
                isRemovedBySwitch = isRemovedBySwitch || dismissedAt == nil
            } else {
                // It has left the phone while the switch was on: its owner, or the system, has removed it.
                dismissedAt = dismissedAt ?? seenAt
            }
            return false
        case .waiting, .starting, .active, .swiped: return false
        }
    }

    /// Records an early removal of a card that was to stay on the Lock Screen for longer.
    private mutating func noteGone(at time: Date) { dismissedAt = dismissedAt.map { min($0, time) } }

    /// Records that the card has shown a revision, whatever revision is wanted.
    mutating func noteShown(_ revision: Revision) { shown = max(revision, shown ?? revision) }

    /// Records that the app itself updated the card to a revision.
    mutating func noteUpdateByApp(_ revision: Revision) {
        updatedByApp = max(revision, updatedByApp ?? revision)
    }

    /// Records another instance of the card, after the known one left the screen: pushes to the former instance may not
    /// have reached this one, whose token differs.
    mutating func adopt(_ instance: String) {
        self.instance = instance
        (updateToken, sent, refreshed, inFlight) = (nil, nil, nil, nil)
        (failures, endRepeatAt) = (Failures(), nil)
        // A result that is yet to come is about the other.
        fencingToken += 1
    }

    /// Records that a card that counted as lost is on the screen, and that its app has uploaded its update token.
    ///
    /// Its shown state is unknown.
    mutating func find() {
        (state, sent, refreshed, inFlight) = (.active, nil, nil, nil)
        (startedAt, dismissedAt, isRemovedBySwitch) = (startedAt ?? lastPushAt, nil, false)
    }

    private mutating func sendEndAgain() {
        (sent, refreshed) = (nil, sent?.content.revision)
        state = .active
    }

    /// Whether the phone has proved that it lost a state.
    ///
    /// The phone would drop a state beyond its budget again; pushes of priority 5 cost none.
    func hasLost(_ wanted: ActivityStep) -> Bool { sent == nil && refreshed == wanted.content.revision }

    private func isDelivered(by now: Date) -> Bool {
        now >= pushedAt(now)?.addingTimeInterval(Self.deliveryGrace) ?? now
    }

    private static func plausibleStart(_ happenedAt: Date?, _ now: Date) -> Date {
        guard let happenedAt, happenedAt <= now,
            now.timeIntervalSince(happenedAt) < Limits.systemActiveMax
        else { return now }
        return happenedAt
    }
}
