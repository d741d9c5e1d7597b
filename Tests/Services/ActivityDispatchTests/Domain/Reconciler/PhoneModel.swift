import Foundation
import LiveActivity
import Messages

@testable import ActivityDispatch

/// The least of a phone: what it would show of the pushes it got, and what a person may never see.
struct PhoneModel {
    struct Shown {
        let activity: ActivityID
        var step: ActivityStep
        var timestamp: Int
        let startedAt: Date
        var endedAt: Date?
        var dismissedAt: Date?
        var isSwiped = false
        var alerts: [String]

        func isActive(at now: Date) -> Bool { endedAt == nil && !isSwiped && now < startedAt + 8 * 3600 }
    }

    var cards: [UUID: Shown] = [:]
    var isOnline = true
    /// What APNs keeps for a phone that is away: the newest push, of all cards together.
    var kept: (push: Push, replaced: Set<UUID>)?
    /// What a person must never see happen.
    var wrongs: [String] = []

    /// A push over APNs: it may come late, in any order, or never.
    mutating func receive(_ push: Push, replaced: Set<UUID>, at now: Date) {
        guard isOnline else {
            kept = (push, replaced)
            return
        }
        show(push, replaced: replaced, at: now)
    }

    mutating func comeOnline(at now: Date) {
        isOnline = true
        if let kept { show(kept.push, replaced: kept.replaced, at: now) }
        kept = nil
    }

    mutating func show(_ push: Push, replaced: Set<UUID>, at now: Date) {
        guard var card = cards[push.card] else {
            guard push.event == .start else { return }
            let hasTwin = cards.contains { id, card in
                card.activity == push.activity && card.isActive(at: now) && !replaced.contains(id)
            }
            if hasTwin { wrongs.append("two cards of \(push.activity) at once") }
            if push.step.isEnd { wrongs.append("a card started for an activity that was over") }
            cards[push.card] = Shown(
                activity: push.activity, step: push.step, timestamp: push.timestamp, startedAt: now,
                alerts: push.alert.map { [$0.id] } ?? [])
            return
        }
        if push.event == .start { wrongs.append("the same card started twice") }
        guard push.timestamp > card.timestamp, card.isActive(at: now) else { return }
        if card.step.supersedes(push.step) { wrongs.append("a card went back") }
        card.step = push.step
        card.timestamp = push.timestamp
        if let id = push.alert?.id {
            if card.alerts.contains(id) { wrongs.append("the alert \(id) came twice") }
            card.alerts.append(id)
        }
        if push.event == .end {
            card.endedAt = now
            let dismissal = Date(timeIntervalSince1970: TimeInterval(push.dismissal ?? 0))
            card.dismissedAt = min(max(dismissal, now), now + 4 * 3600)
        }
        cards[push.card] = card
    }
}
