import Foundation
import LiveActivity

/// What an app reports about a card.
enum CardReport: Hashable, Sendable {
    /// It is on the screen; with the token that updates it, where there is one.
    case started(updateToken: PushToken?)
    /// It shows the content of this revision.
    case shown(Revision?)
    /// The system ended it.
    case ended
    /// It left the screen.
    case dismissed
    case stale
}

extension Card {
    /// Seconds that a push may take to arrive: until then a report of the push before it proves no loss.
    static let deliveryGrace: TimeInterval = 10
    /// Seconds in which a start that APNs keeps for a phone may still arrive: ten minutes.
    static let startArrivalMax: TimeInterval = 600

    /// Applies what the app reports.
    ///
    /// A start is confirmed here and nowhere else; a card that shows an older state than it was sent is sent again.
    /// - Parameters:
    ///   - happenedAt: by the phone's clock, which may be wrong: no card that is there began more than eight hours ago
    ///     or is to begin yet.
    ///   - isReplaced: whether another card that replaces this one is on the screen, so that we take this one off.
    ///   - isSwitchedOff: whether the phone's owner has switched Live Activities off, which takes every card off.
    ///   - losesPushes: whether a push may be lost on its way to the phone, so that an older state proves a loss.
    mutating func apply(
        _ report: CardReport, at now: Date, happenedAt: Date? = nil, isReplaced: Bool = false,
        isSwitchedOff: Bool = false, losesPushes: Bool = true
    ) {
        switch report {
        case .started(let token):
            if let token { accept(token) }
            switch state {
            case .waiting, .starting:
                if state == .waiting { startedAt = Self.plausibleStart(happenedAt, now) }
                state = .active
            case .active, .ended, .dismissed, .swiped, .replaced, .signedOut, .lost: break
            }
        case .shown(let revision): applyShown(revision, now, losesPushes: losesPushes)
        case .ended:
            if state.isOnScreen {
                state = .ended
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

    /// Accepts a token that the app uploaded; one that comes late changes nothing.
    ///
    /// A failure of the former token is none of another's.
    /// - Returns: whether it is another than the one that was known.
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

    /// What leaves the screen because we took it off was not swiped away by anybody, though the result of that push may
    /// still be on its way.
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
                state = .lost
            } else {
                state = isBeforeRemoval(time, systemRemoval) ? .swiped : .dismissed
            }
        case .ended:
            // The system leaves what it has ended on the Lock Screen: of an open order, its owner took it off.
            let isOpen = sent.map { !$0.isEnd } ?? false
            let isOwners =
                isOpen && !isReplaced && !isSwitchedOff && dismissedAt.map { isBeforeRemoval(time, $0) } ?? false
            state = isOwners ? .swiped : .dismissed
        case .lost:
            // It was missing when the app looked, and now the app says why: the system takes none off before eight hours.
            let systemEndsAt = startedAt?.addingTimeInterval(Limits.systemActiveMax) ?? .distantPast
            if !isReplaced, !isSwitchedOff, time < systemEndsAt { state = .swiped }
        case .waiting, .dismissed, .swiped, .replaced, .signedOut: break
        }
    }

    /// When the system removes it: four hours after its end, which the system makes of eight hours at the latest.
    private func removal(endedAt: Date) -> Date {
        let removal = endedAt.addingTimeInterval(TimeInterval(Dismissal.keptSecondsMax))
        return systemRemoval.map { min($0, removal) } ?? removal
    }

    /// When the system has removed it at the latest; a start that arrives late moves that, and so does no swipe.
    private var systemRemoval: Date? {
        startedAt?.addingTimeInterval(Limits.systemActiveMax + TimeInterval(Dismissal.keptSecondsMax))
    }

    /// Whether it left too early to have been removed by the system, whose clock is not ours.
    private func isBeforeRemoval(_ time: Date, _ removal: Date?) -> Bool {
        removal.map { time < $0.addingTimeInterval(-Limits.clockDifferenceMax) } ?? true
    }

    /// Applies that the app sees it live on the phone: an end that was sent longer ago was lost, where pushes may be.
    mutating func applySeenLive(_ revision: Revision, at now: Date, losesPushes: Bool = true) {
        apply(.started(updateToken: nil), at: now)
        applyShown(revision, now, losesPushes: losesPushes)
        if losesPushes, state == .ended, inFlight == nil, isDelivered(by: now) { sendEndAgain() }
    }

    /// Applies that the app does not see it on the phone.
    ///
    /// - Parameter seenAt: when the app looked; what was sent about then may have arrived after that.
    /// - Returns: whether it should be there, so that another may start in its place.
    mutating func applyMissing(seenAt: Date) -> Bool {
        defer { noteGone(at: seenAt) }
        let begun = max(startedAt ?? .distantPast, lastPushAt ?? .distantPast)
        switch state {
        case .starting where seenAt >= begun.addingTimeInterval(Self.startArrivalMax):
            state = .lost
            return true
        case .active where seenAt >= (startedAt ?? .distantPast).addingTimeInterval(Self.deliveryGrace):
            if let inFlight, inFlight.event == .end {
                // The end that has no result yet has arrived.
                state = inFlight.becomes == .ended ? .dismissed : inFlight.becomes
                return false
            }
            state = .lost
            return true
        case .ended:
            (state, endRepeatAt) = (.dismissed, nil)
            return false
        case .dismissed, .replaced, .signedOut:
            endRepeatAt = nil
            return false
        case .waiting, .starting, .active, .swiped, .lost: return false
        }
    }

    /// Of what was to stay on the Lock Screen for longer, takes in that it has left.
    private mutating func noteGone(at time: Date) { dismissedAt = dismissedAt.map { min($0, time) } }

    /// Takes in that it has shown a revision, whatever it is to show.
    mutating func noteShown(_ revision: Revision) { shown = max(revision, shown ?? revision) }

    /// Takes in that the app put a revision on it.
    mutating func noteUpdateByApp(_ revision: Revision) {
        updatedByApp = max(revision, updatedByApp ?? revision)
    }

    /// Another instance of it is on the screen, and the one that was known is not: what was sent to that is not known to
    /// have reached this, and its token is another.
    mutating func adopt(_ instance: String) {
        self.instance = instance
        (updateToken, sent, refreshed, inFlight) = (nil, nil, nil, nil)
        (failures, endRepeatAt) = (Failures(), nil)
        // A result that is yet to come is about the other.
        fencingToken += 1
    }

    /// A card that counted as lost is on the screen after all, and its app has uploaded the token that updates it.
    ///
    /// What it shows is not known.
    mutating func find() {
        (state, sent, refreshed, inFlight) = (.active, nil, nil, nil)
        startedAt = startedAt ?? lastPushAt
    }

    private mutating func sendEndAgain() {
        (sent, refreshed) = (nil, sent?.content.revision)
        state = .active
    }

    /// Whether the phone has proved that it lost a state.
    ///
    /// What its budget dropped it would drop again; pushes of priority 5 cost none.
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
