import Foundation

/// Decides about a card that its app has scheduled: the phone starts it, and no push does.
///
/// Where it is no longer wanted at that time, its end is sent at once. The end is repeated after that time, since Apple
/// does not document that an activity accepts a push before it starts. So is the end of a card that has the last slot
/// while another card is to start.
func decideScheduled(
    _ activity: Activity, _ card: Card, _ device: Device, _ otherCards: OtherCards, _ limits: Limits, _ now: Date
) -> Decision {
    guard let scheduledAt = card.scheduledAt else { return .nothing(.notYet) }
    if card.mustEnd || activity.isEnded { return decideEndOfScheduled(activity, card, becomes: .dismissed, now) }
    guard device.mayShow(activity) else { return decideEndOfScheduled(activity, card, becomes: .signedOut, now) }
    // Its time may have come before the end was sent.
    guard otherCards.replacements(of: card).isEmpty else {
        return decideEndOfScheduled(activity, card, becomes: .replaced, now)
    }
    if now < scheduledAt {
        let isInTheWay =
            device.isEnabled && device.canStart
            && otherCards.needsSlot(of: ActivityCard(activity: activity, card: card), limits: limits, now: now)
        // A push starts the replacement at the time that is wanted now.
        if isInTheWay || !card.isOnTime(for: activity.wanted) { return .rollOver }
    }
    let begunAt = scheduledAt.addingTimeInterval(Card.deliveryGrace)
    guard now >= begunAt else { return .wait(until: begunAt, .scheduled) }
    guard device.isEnabled else { return .nothing(.switchedOff) }
    if let reason = card.rejectionReason(activity.wanted) { return .nothing(reason) }
    let next = card.pushedAt(now)?.addingTimeInterval(limits.pushInterval)
    let retryAt = card.retryDue(.update, of: activity.wanted, now)
    if let earliest = [next, retryAt].compactMap(\.self).max(), now < earliest {
        return .wait(until: earliest, .retrying)
    }
    // The update carries the wanted state, and its answer proves whether the card exists: then its token is not gone.
    let alert = card.alertDue(in: activity.wanted, now: now)
    let isAffordable = isUrgentAffordable(card, on: device, hasAlert: alert != nil, limits, now)
    return .update(isAffordable ? .high : .low, alert: alert)
}

/// An end without time on the Lock Screen, since no screen has shown the order.
private func decideEndOfScheduled(
    _ activity: Activity, _ card: Card, becomes state: Card.State, _ now: Date
) -> Decision {
    card.retryWait(.end, of: activity.wanted, now) ?? .end(dismissal: 0, becomes: state, alert: nil)
}
