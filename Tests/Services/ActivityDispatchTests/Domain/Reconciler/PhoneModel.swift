import Foundation
import LiveActivity
import Messages
import PhoneRules

@testable import ActivityDispatch

/// A minimal phone: what it would show of the pushes it received, and the invariants that it saw broken.
struct PhoneModel {
    struct Shown {
        let activity: ActivityID
        var state: ActivityStep
        var timestamp: Int
        let startedAt: Date
        var endedAt: Date?
        var dismissedAt: Date?
        var isSwiped = false
        /// Whether the app has told that the system ended it.
        var isReportedEnded = false
        var alerts: [String]
        /// The cards that it replaces: one of them may have been scheduled for a later time.
        var replaced: Set<UUID> = []

        func isActive(at now: Date) -> Bool { endedAt == nil && !isSwiped && now < startedAt + 8 * 3600 }
    }

    var cards: [UUID: Shown] = [:]
    /// The iPhone that decides what becomes of each push; nil where this model does.
    var iPhone: EmulatedPhone?
    private(set) var isOnline = true
    /// What APNs stores for a phone that is offline: the newest push, of all cards together.
    var stored: (push: Push, replaced: Set<UUID>)?
    /// Invariants that were broken.
    var violations: [String] = []

    /// A push over APNs: it may arrive late, in any order, or never.
    ///
    /// - Returns: what APNs answers.
    mutating func receive(_ push: Push, to card: Card, replaced: Set<UUID>, at now: Date) -> PushResult {
        if iPhone != nil {
            let result = iPhone!.receive(push, to: card, replaced: replaced, at: now)
            showApplied(at: now)
            return result
        }
        guard !hasExpired(push, at: now) else { return .accepted() }
        if isOnline { show(push, replaced: replaced, at: now) } else { stored = (push, replaced) }
        return .accepted()
    }

    /// Shows what the iPhone has applied since this was last called.
    private mutating func showApplied(at now: Date) {
        for (card, activity, step, at) in iPhone?.takeStartedByItself() ?? [] {
            if cards[card] != nil { violations.append("a card that was there started by itself") }
            // The phone may have ignored its end: only a replacement may be there, and its end is sent again.
            let hasDuplicate = cards.values.contains {
                $0.activity == activity && $0.isActive(at: at) && !$0.replaced.contains(card)
            }
            if hasDuplicate { violations.append("two cards of \(activity) at once, one by itself") }
            cards[card] = Shown(activity: activity, state: step, timestamp: 0, startedAt: at, alerts: [])
        }
        for (push, replaced) in iPhone?.takeApplied() ?? [] { show(push, replaced: replaced, at: now) }
    }

    /// Takes in what time has started, for whoever looks at the cards next.
    mutating func advance(to now: Date) {
        guard iPhone != nil else { return }
        _ = iPhone!.seen(at: now)
        showApplied(at: now)
    }

    mutating func goOffline(at now: Date) {
        isOnline = false
        iPhone?.setOnline(false, at: now)
    }

    mutating func swipe(_ card: UUID, at now: Date) {
        cards[card]!.isSwiped = true
        iPhone?.swipe(card, at: now)
    }

    /// The app ends a card at once, as it was told to.
    mutating func endFromApp(_ instance: String, at now: Date) {
        if iPhone?.isPending(instance) == true {
            iPhone?.endFromApp(instance: instance, at: now)
            return
        }
        guard let card = UUID(uuidString: iPhone?.card(of: instance) ?? instance), cards[card]?.endedAt == nil else {
            return
        }
        cards[card]?.endedAt = now
        cards[card]?.dismissedAt = now
        iPhone?.endFromApp(instance: instance, at: now)
    }

    /// Everything that the app sees.
    mutating func seen(at now: Date) -> [DeviceReport.SeenInstance] {
        if iPhone != nil {
            advance(to: now)
            return iPhone!.seen(at: now)
        }
        return cards.filter { !$0.value.isSwiped }.sorted { $0.key.uuidString < $1.key.uuidString }.compactMap {
            card, shown in
            guard shown.dismissedAt.map({ now < $0 }) ?? (now < shown.startedAt + 12 * 3600) else { return nil }
            return .init(
                instance: card.uuidString, card: card, activity: shown.activity,
                revision: shown.state.content.revision, state: shown.isActive(at: now) ? .active : .ended)
        }
    }

    /// A start expires ten minutes after it was leased.
    private func hasExpired(_ push: Push, at now: Date) -> Bool {
        push.event == .start && now > push.leasedAt + 600
    }

    mutating func comeOnline(at now: Date) {
        isOnline = true
        iPhone?.setOnline(true, at: now)
        showApplied(at: now)
        if let stored, !hasExpired(stored.push, at: now) { show(stored.push, replaced: stored.replaced, at: now) }
        stored = nil
    }

    mutating func show(_ push: Push, replaced: Set<UUID>, at now: Date) {
        guard var card = cards[push.card] else {
            guard push.event == .start else { return }
            let hasDuplicate = cards.contains { id, card in
                card.activity == push.activity && card.isActive(at: now) && !replaced.contains(id)
            }
            if hasDuplicate { violations.append("two cards of \(push.activity) at once") }
            if push.wanted.isEnd { violations.append("a card started for an activity that was over") }
            cards[push.card] = Shown(
                activity: push.activity, state: push.wanted, timestamp: push.timestamp, startedAt: now,
                alerts: push.alert.map { [$0.id] } ?? [], replaced: replaced)
            return
        }
        if push.event == .start { violations.append("the same card started twice") }
        guard push.timestamp > card.timestamp, card.isActive(at: now) else { return }
        if card.state.supersedes(push.wanted) { violations.append("a card went back") }
        card.state = push.wanted
        card.timestamp = push.timestamp
        if let id = push.alert?.id {
            if card.alerts.contains(id) { violations.append("the alert \(id) came twice") }
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
