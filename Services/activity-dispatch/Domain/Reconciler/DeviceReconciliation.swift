import FlowControl
import Foundation
import LiveActivity
import Messages

/// One reconciliation of a device: decides about each of its cards until none needs an action.
///
/// A value: the caller reads the device and its cards under the device's lock, and writes the changes.
struct DeviceReconciliation {
    private(set) var device: Device
    /// Cards that wait or may be on the screen, and those with an end to be repeated, oldest first.
    private(set) var cards: [ActivityCard]
    private var otherCards: OtherCards
    /// The leased pushes, in order.
    private(set) var pushes: [Push] = []
    /// Payloads that no phone could decode, and that were not sent.
    private(set) var payloadFaults: [(event: Push.Event, fault: PayloadFault)] = []
    /// Pushes that found the budget for priority 10 empty.
    private(set) var budgetExhausted = 0
    /// Why each card is left as it is.
    private(set) var reasons: [UUID: Decision.Reason] = [:]
    /// The next time to reconcile; nil when only a change can cause work.
    private(set) var dueAt: Date?
    let limits: Limits
    let now: Date
    /// The tokens and queues for which no push may be leased now; their cards wait without cost.
    let gate: LeaseGate

    /// Decisions about one card in a reconciliation at most; a roll-over followed by a start and its end is three.
    private static let decisionsMax = 4

    init(device: Device, cards: [ActivityCard], limits: Limits, now: Date, gate: LeaseGate = LeaseGate()) {
        self.device = device
        self.cards = cards.reservingAnnounced()
        otherCards = OtherCards(self.cards.filter(\.card.state.isOpen))
        self.limits = limits.on(device)
        self.now = now
        self.gate = gate
    }

    /// Decides and leases until no more work is due now.
    ///
    /// - Parameters:
    ///   - leased: cards whose newest push has no result yet and whose lease has not expired.
    ///   - send: sends a push at once where that is part of the caller's transaction; returns nil where the push is
    ///     sent after the commit.
    mutating func run(leased: Set<UUID>, newID: () -> UUID, send: (Push) -> PushResult?) {
        var leased = leased
        for _ in 0..<Self.decisionsMax {
            var hasActed = false
            // Ends first: they make room. Starts last, in the order of display, which a phone keeps among equals.
            let (ending, others) = (cards.indices.filter(isEnding), cards.indices.filter { !isEnding($0) })
            let starting = others.filter { cards[$0].card.state == .waiting }.sorted {
                cards[$0].activity.displayRank < cards[$1].activity.displayRank
            }
            for index in ending + others.filter({ cards[$0].card.state != .waiting }) + starting
            where !leased.contains(cards[index].card.id) {
                if act(on: index, newID: newID, send: send, leased: &leased) { hasActed = true }
            }
            guard hasActed else { break }
        }
        for index in cards.indices { recordReason(of: index, isLeased: leased.contains(cards[index].card.id)) }
    }

    private func isEnding(_ index: Int) -> Bool {
        cards[index].activity.isEnded || !device.mayShow(cards[index].activity)
    }

    private func decision(_ index: Int) -> Decision {
        let one = cards[index]
        let decision = decide(one.activity, one.card, on: device, among: otherCards, limits: limits, now: now)
        return switch decision {
        case .start: gate.wait(for: device.pushToStartToken) ?? decision
        // The end frees the slot for its successor, which then has to start.
        case .end(_, .replaced, _) where !otherCards.replacements(of: one.card).contains { $0.state == .active }:
            gate.wait(for: device.pushToStartToken) ?? gate.wait(for: one.card.updateToken) ?? decision
        case .update, .end: gate.wait(for: one.card.updateToken) ?? decision
        case .rollOver, .withdrawStart, .close, .wait, .nothing: decision
        }
    }

    /// - Returns: whether something was done.
    private mutating func act(
        on index: Int, newID: () -> UUID, send: (Push) -> PushResult?, leased: inout Set<UUID>
    ) -> Bool {
        let decision = decision(index)
        let former = cards[index]
        defer { if former.card.state.isOpen { otherCards.update(former, to: cards[index]) } }
        switch decision {
        case .wait, .nothing: return false
        case .close(let state):
            cards[index].card.close(as: state)
            return true
        case .withdrawStart:
            cards[index].card.withdrawStart()
            device.starts.refund()
            if former.activity.isSummary, let alert = former.card.inFlight?.alert {
                _ = changeQuestion(alert) { $0.release(alert) }
            }
            return true
        case .rollOver:
            appendReplacement(of: index, newID: newID)
            return true
        case .start, .update, .end:
            guard let push = lease(decision, index) else { return cards[index].card != former.card }
            if let result = send(push) {
                _ = cards[index].card.record(push, result, now: now)
            } else {
                leased.insert(push.card)
            }
            return true
        }
    }

    private mutating func appendReplacement(of index: Int, newID: () -> UUID) {
        let old = cards[index].card
        var new = Card(
            id: newID(), activity: old.activity, device: device.id, replaces: old.id, urgentPushes: old.urgentPushes)
        new.alertedIDs = old.alertedIDs
        cards.append(ActivityCard(activity: cards[index].activity, card: new))
        otherCards.insert(cards[cards.count - 1])
    }

    /// Leases the push that a decision asks for, and spends the budgets that it costs.
    private mutating func lease(_ decision: Decision, _ index: Int) -> Push? {
        let wanted = cards[index].activity.wanted
        var card = cards[index].card
        guard var push = card.lease(decision, wanted, limits: limits, now: now) else { return nil }
        push.token = push.event == .start ? device.pushToStartToken : card.updateToken
        push.asksForToken = device.isAskedForToken
        push.attributesBytes = push.event == .start ? nil : card.attributesBytes
        do {
            try push.check()
        } catch {
            payloadFaults.append((push.event, error))
            guard push.event == .end else {
                cards[index].card.rejected = Card.RejectedContent(revision: wanted.content.revision, fault: error)
                return nil
            }
            // An end waits for nothing, and its fault is recorded above.
            try? push.endAtOnce()
        }
        push.isDowngraded = isDowngraded(decision, index)
        if push.isDowngraded { budgetExhausted += 1 }
        card.attributesBytes = push.attributesBytes
        card.rejected = nil
        cards[index].card = card
        push.traceparent = cards[index].activity.traceparent
        if cards[index].activity.isSummary, let alert = push.alert?.id {
            push.announces = changeQuestion(alert) { $0.reserve(alert) }
        }
        device.spend(for: push, limits, at: now)
        pushes.append(push)
        return push
    }

    /// Changes the waiting card of the question with an alert.
    ///
    /// - Returns: the question's activity; nil where none of the waiting cards is of that question.
    private mutating func changeQuestion(_ alert: String, by change: (inout Card) -> Void) -> ActivityID? {
        let index = cards.firstIndex { $0.card.isUnscheduled && $0.activity.wanted.alert?.id == alert }
        guard let index else { return nil }
        let former = cards[index]
        change(&cards[index].card)
        otherCards.update(former, to: cards[index])
        return former.activity.id
    }

    private func isDowngraded(_ decision: Decision, _ index: Int) -> Bool {
        guard case .update(.low, let alert) = decision else { return false }
        return !isUrgentAffordable(cards[index].card, on: device, hasAlert: alert != nil, limits, now)
    }

    private mutating func recordReason(of index: Int, isLeased: Bool) {
        let card = cards[index].card
        let (reason, until): (Decision.Reason, Date?) =
            switch isLeased ? .nothing(.inFlight) : decision(index) {
            case .wait(let until, let reason): (reason, until)
            case .nothing(let reason): (reason, nil)
            // More actions than one reconciliation may lease: the card is due again at once.
            case .start, .update, .end, .rollOver, .withdrawStart, .close: (.inFlight, now)
            }
        if let until { dueAt = min(dueAt ?? until, until) }
        reasons[card.id] = reason
    }
}

extension [ActivityCard] {
    /// The cards with the alerts reserved on waiting ones that an open summary has announced: before 0.29 only the summary's
    /// card had them.
    fileprivate func reservingAnnounced() -> [ActivityCard] {
        let announced = Set(filter { $0.activity.isSummary && $0.card.state.isOpen }.flatMap(\.card.alertedIDs))
        guard !announced.isEmpty else { return self }
        return map { one in
            guard one.card.isUnscheduled, !one.activity.isSummary, let alert = one.activity.wanted.alert,
                announced.contains(alert.id), one.card.unlessAlerted(alert) != nil
            else { return one }
            var reserved = one
            reserved.card.reserve(alert.id)
            return reserved
        }
    }
}

extension Decision.Reason {
    /// Whether a card left for this reason shows an outdated state that is still to be corrected.
    ///
    /// The service corrects it, or its app does once it is open (``waitsForApp``). A throttle and a full queue end
    /// within seconds and an unanswered push within a lease, so none of them counts as behind. A phone whose owner
    /// switched activities off, never allowed them or has too many cards cannot show another: neither corrects that.
    var isBehind: Bool {
        switch self {
        case .startBudget, .unconfirmed, .retrying, .noUpdateToken, .halted, .appRefused, .payloadTooLarge,
            .payloadUnreadable:
            true
        case .switchedOff, .noStartToken, .oldSystem, .startFailed, .tooManyCards, .upToDate, .notYet,
            .scheduled, .endedBeforeStart, .otherCustomer,
            .startInFlight, .throttled, .queueFull, .ended, .over, .inFlight:
            false
        }
    }

    /// Whether a card is behind until its app is open, or accepted by Apple: nothing of the service is at fault.
    ///
    /// An app that its owner has ended reports no start and uploads no token, for as long as the system keeps the card.
    /// An app for which Apple has accepted no push may be a name that a device made up.
    var waitsForApp: Bool {
        switch self {
        case .unconfirmed, .noUpdateToken, .appRefused: true
        case .startBudget, .retrying, .halted, .payloadTooLarge, .payloadUnreadable, .switchedOff, .noStartToken,
            .oldSystem, .startFailed, .tooManyCards, .upToDate, .notYet, .scheduled, .endedBeforeStart, .otherCustomer,
            .startInFlight, .throttled, .queueFull, .ended, .over, .inFlight:
            false
        }
    }
}
