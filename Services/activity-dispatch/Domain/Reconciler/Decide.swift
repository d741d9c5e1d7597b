import FlowControl
import Foundation
import LiveActivity
import WireCoding

/// A card with the activity that it shows.
struct ActivityCard: Hashable, Sendable {
    var activity: Activity
    var card: Card
}

/// Decides a card's next action by comparing the wanted with the sent state, and nothing else.
///
/// Level-triggered, so it may run at any time and any number of times. This one comparison handles coalescing,
/// throttles, budgets, retries, crashed processes and phones that were offline.
///
/// - Parameters:
///   - otherCards: the device's cards that wait or are on the screen, this one included.
///   - now: domain time.
func decide(
    _ activity: Activity, _ card: Card, on device: Device, among otherCards: OtherCards, limits: Limits, now: Date
) -> Decision {
    switch card.state {
    case .waiting where card.isScheduled: decideScheduled(activity, card, device, otherCards, limits, now)
    case .waiting: decideStart(ActivityCard(activity: activity, card: card), device, otherCards, limits, now)
    case .starting where card.inFlight.map { $0.event == .start && !$0.isHandedOver } ?? false: .withdrawStart
    case .starting: decideUnconfirmed(card, limits, now)
    case .active where limits.needsUpdateToken && card.updateToken == nil:
        decideWithoutToken(decideActive(activity, card, device, otherCards, limits, now), card, limits, now)
    case .active: decideActive(activity, card, device, otherCards, limits, now)
    case .ended: decideEnded(activity, card, device, otherCards, limits, now)
    case .dismissed, .replaced, .signedOut: decideOffScreen(card, now)
    case .swiped, .lost: .nothing(.over)
    }
}

/// A card that has ended, by a push or by the system, and that stays on the Lock Screen until its dismissal.
private func decideEnded(
    _ activity: Activity, _ card: Card, _ device: Device, _ otherCards: OtherCards, _ limits: Limits, _ now: Date
) -> Decision {
    guard let dismissedAt = card.dismissedAt, now < dismissedAt else { return .close(.dismissed) }
    // Its customer is erased: the card leaves the screen now.
    if card.mustEnd, card.sent?.isEnd ?? false, !limits.needsUpdateToken || card.updateToken != nil {
        if let retryAt = card.retryDue(.end, of: activity.wanted, now), now < retryAt {
            return .wait(until: min(retryAt, dismissedAt), .retrying)
        }
        return .end(dismissal: 0, becomes: .dismissed, alert: nil)
    }
    if case .show = activity.wanted, !card.mustEnd, device.mayShow(activity) {
        if otherCards.hasActiveDuplicate(of: card) { return .close(.replaced) }
        if card.mayBeSystemsEnd(limits), !otherCards.hasAnother(of: card) { return .rollOver }
    }
    guard case .ended(let ended) = activity.wanted, card.sent?.isEnd ?? false, let repeatAt = card.endRepeatDue(now)
    else {
        return .wait(until: dismissedAt, .ended)
    }
    if now < repeatAt { return .wait(until: min(repeatAt, dismissedAt), .ended) }
    return .end(
        dismissal: ended.dismissal.date(endedAt: ended.endedAt, now: now.epochSeconds), becomes: .ended, alert: nil)
}

/// A card that was removed from the screen at once.
private func decideOffScreen(_ card: Card, _ now: Date) -> Decision {
    guard let repeatAt = card.endRepeatDue(now) else { return .nothing(.over) }
    return now < repeatAt ? .wait(until: repeatAt, .over) : .end(dismissal: 0, becomes: card.state, alert: nil)
}

/// - Parameter leavingOut: a card whose slot counts as free.
private func decideStart(
    _ candidate: ActivityCard, _ device: Device, _ otherCards: OtherCards, _ limits: Limits, _ now: Date,
    leavingOut: UUID? = nil
) -> Decision {
    let (activity, card) = (candidate.activity, candidate.card)
    guard case .show(let shown) = activity.wanted else { return .nothing(.endedBeforeStart) }
    guard !card.mustEnd else { return .close(.dismissed) }
    // The phone has lost one that was scheduled, after another took its place.
    guard otherCards.replacements(of: card).isEmpty else { return .close(.replaced) }
    guard device.mayShow(activity) else { return .nothing(.otherCustomer) }
    if let reason = card.rejectionReason(activity.wanted) { return .nothing(reason) }
    guard device.isEnabled else { return .nothing(.switchedOff) }
    guard !device.isTooOldToStart else { return .nothing(.oldSystem) }
    guard device.canStart else { return .nothing(.noStartToken) }
    let startAt = Date(timeIntervalSince1970: TimeInterval(shown.startAt))
    guard now >= startAt else { return .wait(until: startAt, .notYet) }
    guard !otherCards.showsAnother(for: candidate) else { return .nothing(.startInFlight) }
    guard otherCards.hasRoom(for: candidate, leavingOut: leavingOut, limits: limits, now: now) else {
        return .nothing(.tooManyCards)
    }
    if let until = device.startFailure?.until, now < until, until <= now.addingTimeInterval(Device.startFailureMax) {
        return .wait(until: until, .startFailed)
    }
    let retryAt = card.retryDue(.start, of: activity.wanted, now)
    if let retryAt = [retryAt, device.startRetryAt(now)].compactMap(\.self).max(), now < retryAt {
        return .wait(until: retryAt, .retrying)
    }
    // A start refused as Doorstep's mistake is retried with each new state, at the card's drift interval.
    if card.rejected?.refusal != nil, let earliest = card.pushedAt(now)?.addingTimeInterval(limits.driftInterval),
        now < earliest
    {
        return .wait(until: earliest, .throttled)
    }
    let ready = device.starts.ready(limits.starts, at: now)
    guard ready <= now else { return .wait(until: ready, .startBudget) }
    return .start(alert: alertDue(activity, card, otherCards, limits, now))
}

/// Whether a card occupies the slot that its replacement needs, and nothing else prevents the replacement's start.
private func isInTheWay(
    _ old: Card, of replacement: ActivityCard, _ device: Device, _ otherCards: OtherCards, _ limits: Limits, _ now: Date
) -> Bool {
    guard !otherCards.hasRoom(for: replacement, limits: limits, now: now) else { return false }
    if case .start = decideStart(replacement, device, otherCards, limits, now, leavingOut: old.id) { return true }
    return false
}

private func decideUnconfirmed(_ card: Card, _ limits: Limits, _ now: Date) -> Decision {
    let startedAt = card.startedAt ?? now
    // At the first age the card leaves its slot to another.
    let ages = [limits.leftToSystemAfter, limits.confirmationMax]
    let next = ages.map { startedAt.addingTimeInterval($0) }.first { now < $0 }
    return next.map { .wait(until: $0, .unconfirmed) } ?? .close(.lost)
}

/// A card without an update token waits for its app to upload one, until the system has ended the card.
///
/// Another card replaces it at the usual age; the app or the system ends the old card.
private func decideWithoutToken(_ decision: Decision, _ card: Card, _ limits: Limits, _ now: Date) -> Decision {
    let startedAt = card.startedAt ?? now
    switch decision {
    case .update, .end:
        let ages = [limits.replacedAfter, limits.leftToSystemAfter]
        let next = ages.map { startedAt.addingTimeInterval($0) }.first { now < $0 }
        return next.map { .wait(until: $0, .noUpdateToken) } ?? .close(.ended)
    case .start, .rollOver, .withdrawStart, .close, .wait, .nothing: return decision
    }
}

private func decideActive(
    _ activity: Activity, _ card: Card, _ device: Device, _ otherCards: OtherCards, _ limits: Limits, _ now: Date
) -> Decision {
    if let end = endDue(activity, card, device, otherCards, limits, now) {
        return card.retryWait(.end, of: activity.wanted, now) ?? end
    }
    let startedAt = card.startedAt ?? now
    let isReplaced = !otherCards.replacements(of: card).isEmpty
    let replacedAt = startedAt.addingTimeInterval(limits.replacedAfter)
    // A successor that cannot start yet waits: the system keeps the replaced card meanwhile.
    if now >= replacedAt, !isReplaced { return .rollOver }
    let leftAt = startedAt.addingTimeInterval(limits.leftToSystemAfter)
    if now >= leftAt { return .close(.ended) }
    guard device.isEnabled else { return isReplaced ? .wait(until: leftAt, .switchedOff) : .nothing(.switchedOff) }
    let lastWordAt = startedAt.addingTimeInterval(limits.lastWordAfter)
    let nextAge = !isReplaced ? replacedAt : now < lastWordAt ? lastWordAt : leftAt
    let update =
        now < lastWordAt
        ? updateDue(activity, card, device, otherCards, limits, now) : lastWordDue(activity, card, device, limits, now)
    switch update {
    case .wait(let until, let reason): return .wait(until: min(until, nextAge), reason)
    case .nothing(let reason): return .wait(until: nextAge, reason)
    case let update: return card.rejectionReason(activity.wanted).map { .wait(until: nextAge, $0) } ?? update
    }
}

/// The end that is due for a card now, if any; ends wait for neither throttle nor budget.
private func endDue(
    _ activity: Activity, _ card: Card, _ device: Device, _ otherCards: OtherCards, _ limits: Limits, _ now: Date
) -> Decision? {
    if card.mustEnd { return .end(dismissal: 0, becomes: .dismissed, alert: nil) }
    if !device.mayShow(activity) { return .end(dismissal: 0, becomes: .signedOut, alert: nil) }
    if case .ended(let ended) = activity.wanted {
        let dismissal = ended.dismissal.date(endedAt: ended.endedAt, now: now.epochSeconds)
        return .end(
            dismissal: dismissal, becomes: .ended, alert: card.alertDue(in: activity.wanted, now: now))
    }
    let isReplaced = otherCards.replacements(of: card).contains { replacement in
        switch replacement.state {
        case .active: replacement.canTakeOver(limits)
        case .waiting:
            isInTheWay(
                card, of: ActivityCard(activity: activity, card: replacement), device, otherCards, limits, now)
        default: false
        }
    }
    return isReplaced ? .end(dismissal: 0, becomes: .replaced, alert: nil) : nil
}

/// The last update of a card that the system is about to end, and then keeps on the Lock Screen for hours.
private func lastWordDue(
    _ activity: Activity, _ card: Card, _ device: Device, _ limits: Limits, _ now: Date
) -> Decision {
    if let sent = card.sent, sent.isLastWord, !activity.wanted.supersedes(sent) { return .nothing(.upToDate) }
    let earliest = card.pushedAt(now)?.addingTimeInterval(limits.pushInterval)
    if let earliest, now < earliest { return .wait(until: earliest, .throttled) }
    if let wait = card.retryWait(.update, of: activity.wanted, now) { return wait }
    let alert = card.alertDue(in: activity.wanted, now: now)
    let isAffordable = isUrgentAffordable(card, on: device, hasAlert: alert != nil, limits, now)
    return .update(isAffordable ? .high : .low, alert: alert)
}

private func updateDue(
    _ activity: Activity, _ card: Card, _ device: Device, _ otherCards: OtherCards, _ limits: Limits, _ now: Date
) -> Decision {
    let isBehind = card.sent.map { activity.wanted.supersedes($0) } ?? true
    let alert = alertDue(activity, card, otherCards, limits, now)
    guard isBehind || alert != nil else { return refreshDue(activity, card, limits, now) }
    // An empty budget lowers the priority and never delays: priority 5 costs no token.
    let isAffordable = isUrgentAffordable(card, on: device, hasAlert: alert != nil, limits, now)
    let isUrgent =
        alert != nil || isActedOn(activity, on: card, limits)
        || isAffordable && hasCrept(activity.wanted, on: card, limits)
    let earliest = card.pushedAt(now)?.addingTimeInterval(isUrgent ? limits.pushInterval : limits.driftInterval)
    if let earliest, now < earliest { return .wait(until: earliest, .throttled) }
    if let wait = card.retryWait(.update, of: activity.wanted, now) { return wait }
    return .update(isUrgent && isAffordable ? .high : .low, alert: alert)
}

/// Whether the budgets of the card and of its device allow an update of priority 10.
func isUrgentAffordable(
    _ card: Card, on device: Device, hasAlert: Bool, _ limits: Limits, _ now: Date
) -> Bool {
    let amount = hasAlert ? 1 : 1 + limits.alertReserve
    return card.urgentPushes.delay(limits.urgentPushes, at: now, amount: amount) <= 0
        && device.isUrgentAffordable(limits, at: now, amount: amount)
}

/// Repeats a state before it goes stale: with a later stale date if its writer has prolonged the state.
///
/// Where pushes can be lost, the state is repeated unchanged, since an offline phone may have lost the first push.
private func refreshDue(_ activity: Activity, _ card: Card, _ limits: Limits, _ now: Date) -> Decision {
    if let sent = card.sent, activity.wanted.prolongs(sent), case .show(let shown) = sent {
        let staleAt = Date(timeIntervalSince1970: TimeInterval(shown.staleAt))
        let earliest = (card.pushedAt(now) ?? .distantPast).addingTimeInterval(limits.driftInterval)
        let due = max(staleAt.addingTimeInterval(-limits.heartbeatLead), earliest)
        if now < due { return .wait(until: due, .upToDate) }
        return card.retryWait(.update, of: activity.wanted, now) ?? .update(.low, alert: nil)
    }
    guard let lead = limits.staleLead, case .show(let shown) = activity.wanted,
        card.refreshed != shown.content.revision
    else { return .nothing(.upToDate) }
    let staleAt = Date(timeIntervalSince1970: TimeInterval(shown.staleAt))
    let earliest = (card.pushedAt(now) ?? .distantPast).addingTimeInterval(limits.driftInterval)
    let due = max(staleAt.addingTimeInterval(-lead), earliest)
    if now < due { return due < staleAt ? .wait(until: due, .upToDate) : .nothing(.upToDate) }
    guard now < staleAt else { return .nothing(.upToDate) }
    return card.retryWait(.update, of: activity.wanted, now) ?? .update(.low, alert: nil)
}

/// Whether a person would act on the difference: another phase, headline, flag or button, or an arrival that has moved
/// far.
private func isActedOn(_ activity: Activity, on card: Card, _ limits: Limits) -> Bool {
    guard let sent = card.sent else { return !card.hasLost(activity.wanted) }
    let (new, old) = (activity.wanted.content, sent.content)
    if new.phase != old.phase || new.headline.code != old.headline.code { return true }
    if new.flags != old.flags || new.buttons.map(\.verb) != old.buttons.map(\.verb) { return true }
    if activity.pressedLinks(in: new) != activity.pressedLinks(in: old) { return true }
    switch (new.arrival, old.arrival) {
    case (nil, nil): return false
    case (let new?, let old?): return abs(TimeInterval(new.to) - TimeInterval(old.to)) >= limits.arrivalDrift
    default: return true
    }
}

extension Activity {
    /// The links of the buttons that act, and on a summary with a question of the one that leads to it.
    ///
    /// A link is the same bytes at each rendering, so another one is about another question, or the former is dead.
    fileprivate func pressedLinks(in content: GroceryDeliveryAttributes.ContentState) -> [String] {
        let leadsToQuestion = isSummary && content.isWaitingForCustomer
        return content.buttons.filter { leadsToQuestion || Verb(rawValue: $0.verb)?.isView != true }.map(\.url)
    }
}

/// Whether the arrival differs much from the last one sent at priority 10, also after many small updates at priority 5.
private func hasCrept(_ wanted: ActivityStep, on card: Card, _ limits: Limits) -> Bool {
    guard let arrival = wanted.content.arrival, !card.hasLost(wanted) else { return false }
    // Without one it was sent arrivals at priority 5 alone, since the budget was empty.
    guard let urgent = card.urgentArrival else { return true }
    return abs(TimeInterval(arrival.to) - TimeInterval(urgent)) >= limits.arrivalDrift
}

extension Card {
    /// Whether pushes can update the card, so that its predecessor is obsolete.
    ///
    /// Until then the predecessor receives every update, and finally a notice that the app has newer content.
    fileprivate func canTakeOver(_ limits: Limits) -> Bool { !limits.needsUpdateToken || updateToken != nil }

    /// Whether the system may have ended it, as it does after eight hours.
    ///
    /// The start of a card that its app started is not known for certain.
    fileprivate func mayBeSystemsEnd(_ limits: Limits) -> Bool {
        guard attributesBytes != nil, let startedAt, let dismissedAt else { return true }
        let endedAt = dismissedAt.addingTimeInterval(-TimeInterval(Dismissal.keptSecondsMax))
        return endedAt >= startedAt.addingTimeInterval(limits.replacedAfter)
    }

    /// Whether the newest push, and so the wait after it, has a time of a clock that was set back since.
    private func isOfFormerClock(_ now: Date) -> Bool { lastPushAt != nil && pushedAt(now) == nil }

    /// The time of the repeated end, since a phone drops pushes beyond its budget and while offline; nil without a
    /// repeat.
    fileprivate func endRepeatDue(_ now: Date) -> Date? {
        guard updateToken != nil, let endRepeatAt else { return nil }
        guard !isOfFormerClock(now) else { return now }
        return max(endRepeatAt, failures.retryAt ?? endRepeatAt)
    }

    /// The time after which a state may be sent after a failure; nil without a failure.
    ///
    /// A refusal as Doorstep's mistake delays only the same push of the same state.
    func retryDue(_ event: Push.Event, of wanted: ActivityStep, _ now: Date) -> Date? {
        guard !isOfFormerClock(now) else { return nil }
        guard let rejected, let refusal = rejected.refusal, refusal.event == event,
            rejected.revision == wanted.content.revision
        else { return failures.retryAt }
        return max(refusal.retryAt, failures.retryAt ?? refusal.retryAt)
    }

    /// The wait for that time; nil once it has come, and without a failure.
    func retryWait(_ event: Push.Event, of wanted: ActivityStep, _ now: Date) -> Decision? {
        retryDue(event, of: wanted, now).flatMap { now < $0 ? Decision.wait(until: $0, .retrying) : nil }
    }

    /// Why nothing is sent of a state that could not be sent already: trying it again would change nothing.
    func rejectionReason(_ wanted: ActivityStep) -> Decision.Reason? {
        guard let rejected, rejected.refusal == nil, rejected.revision == wanted.content.revision else { return nil }
        switch rejected.fault {
        case .tooLarge: return .payloadTooLarge
        case .unreadable: return .payloadUnreadable
        }
    }
}
