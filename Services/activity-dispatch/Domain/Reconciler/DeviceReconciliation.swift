import FlowControl
import Foundation
import LiveActivity

/// One look at a device: decides about each of its cards until none has anything to do now.
///
/// A value: the caller read the device and its cards under the device's lock, and writes back what changed.
struct DeviceRound {
    /// How a card is after the round.
    struct Standing: Hashable, Sendable {
        let reason: Decision.Reason
        /// Whether it should show something else than it does, and not because its time has not come.
        let isBehind: Bool
    }

    private(set) var device: Device
    /// Cards that wait or may be on the screen, oldest first.
    private(set) var placed: [Placed]
    /// What was leased, in order.
    private(set) var pushes: [Push] = []
    /// Pushes that found the budget for priority 10 empty.
    private(set) var budgetExhausted = 0
    private(set) var standings: [UUID: Standing] = [:]
    /// When to look again; nil when only a change can give it something to do.
    private(set) var dueAt: Date?
    let limits: Limits
    let now: Date

    /// Decisions about one card in a round at most; a roll-over followed by a start and its end is three.
    private static let decisionsMax = 4

    init(device: Device, placed: [Placed], limits: Limits, now: Date) {
        self.device = device
        self.placed = placed
        self.limits = limits
        self.now = now
    }

    /// Runs the round.
    ///
    /// - Parameters:
    ///   - inFlight: cards that somebody's push is on its way to.
    ///   - deliver: sends a push there and then, where that is part of the caller's transaction; returns nil where
    ///     the push has yet to be sent.
    mutating func run(inFlight: Set<UUID>, newID: () -> UUID, deliver: (Push) -> PushResult?) {
        var away = inFlight
        for _ in 0..<Self.decisionsMax {
            var isSettled = true
            // Ends first: they make room.
            for index in placed.indices.sorted(by: { isEnding($0) && !isEnding($1) })
            where !away.contains(placed[index].card.id) {
                guard act(on: index, newID: newID, deliver: deliver, away: &away) else { continue }
                isSettled = false
            }
            if isSettled { break }
        }
        for index in placed.indices { settle(index, isAway: away.contains(placed[index].card.id)) }
    }

    private func isEnding(_ index: Int) -> Bool {
        placed[index].activity.isEnded || placed[index].activity.customer != device.customer
    }

    private func decision(_ index: Int) -> Decision {
        var others = placed
        let one = others.remove(at: index)
        return decide(one.activity, one.card, on: device, others: others, limits: limits, now: now)
    }

    /// - Returns: whether something was done.
    private mutating func act(
        on index: Int, newID: () -> UUID, deliver: (Push) -> PushResult?, away: inout Set<UUID>
    ) -> Bool {
        let decision = decision(index)
        switch decision {
        case .wait, .nothing: return false
        case .close(let state):
            placed[index].card.state = state
            return true
        case .rollOver:
            let old = placed[index].card
            let new = Card(
                id: newID(), activity: old.activity, device: device.id, replaces: old.id,
                urgentPushes: TokenBucket(limits.urgentPushes, at: now))
            placed.append(Placed(activity: placed[index].activity, card: new))
            return true
        case .start, .update, .end:
            let wanted = placed[index].activity.wanted
            if isDowngraded(decision, index) { budgetExhausted += 1 }
            guard let push = placed[index].card.lease(decision, wanted, limits: limits, now: now) else { return false }
            if push.event == .start { device.starts.spend(limits.starts, at: now) }
            pushes.append(push)
            if let result = deliver(push) {
                _ = placed[index].card.record(push, result, now: now)
            } else {
                away.insert(push.card)
            }
            return true
        }
    }

    private func isDowngraded(_ decision: Decision, _ index: Int) -> Bool {
        guard case .update(.low, _) = decision else { return false }
        return placed[index].card.urgentPushes.ready(limits.urgentPushes, at: now) > now
    }

    private mutating func settle(_ index: Int, isAway: Bool) {
        let card = placed[index].card
        let (reason, until): (Decision.Reason, Date?) =
            switch isAway ? .nothing(.inFlight) : decision(index) {
            case .wait(let until, let reason): (reason, until)
            case .nothing(let reason): (reason, nil)
            // More to do than one round takes: look again at once.
            case .start, .update, .end, .rollOver, .close: (.inFlight, now)
            }
        if let until { dueAt = min(dueAt ?? until, until) }
        standings[card.id] = Standing(reason: reason, isBehind: reason.isBehind)
    }
}

extension Decision.Reason {
    /// Whether a card that is left for this reason shows something else than it should.
    ///
    /// A throttle is over within seconds and an unanswered push within a lease, so neither is worth telling anybody.
    var isBehind: Bool {
        switch self {
        case .switchedOff, .noStartToken, .tooManyCards, .startBudget, .unconfirmed, .retrying: true
        case .upToDate, .notYet, .endedBeforeStart, .otherCustomer, .startInFlight, .throttled, .ended, .over,
            .inFlight:
            false
        }
    }
}
