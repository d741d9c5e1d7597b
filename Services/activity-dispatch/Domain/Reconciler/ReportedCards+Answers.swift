import Foundation
import LiveActivity
import Messages
import WireCoding

extension ReportedCards {
    /// The app's instructions for each reported instance, once all reports are applied; and further cards for the app
    /// to end, since no push can.
    var answers: [Answer] {
        var known: Set<String> = []
        let named = subjects.reversed().filter { known.insert($0.instance).inserted }.reversed().map { named in
            Answer(instance: named.instance, action: action(for: named.subject))
        }
        let others = cards.filter(isKeptBySystem).compactMap { card -> Answer? in
            guard let instance = card.instance, action(for: .card(card.id)) == .end else { return nil }
            return known.insert(instance).inserted ? Answer(instance: instance, action: .end) : nil
        }
        return named + others
    }

    /// Whether the system has ended the card and may still keep it on the Lock Screen.
    private func isKeptBySystem(_ card: Card) -> Bool {
        switch card.state {
        case .ended, .replaced, .swiped: card.dismissedAt.map { now < $0 } ?? false
        case .waiting, .starting, .active, .dismissed, .signedOut, .lost: false
        }
    }

    private func action(for subject: Subject) -> Answer.Action {
        switch subject {
        case .duplicate: return .end
        case .unknown(let id):
            guard let id else { return .keep }
            guard let activity = activities[id] else { return .end }
            return device.mayShow(activity) && !isOver(activity) ? .keep : .end
        case .card(let id, let endedWith):
            guard let card = cards.first(where: { $0.id == id }), let activity = activities[card.activity] else {
                return .keep
            }
            guard device.mayShow(activity), !card.mustEnd else { return .end }
            switch card.state {
            case .waiting where card.isScheduled: return isWantedThen(card, activity) ? .keep : .end
            case .waiting, .starting: return isOver(activity) ? .end : .keep
            case .active: return isOver(activity) || isReplacedBeyondReach(card) ? .end : .keep
            case .lost: return isOver(activity) || hasActiveDuplicate(card) ? .end : .keep
            case .ended: return isLeftBehind(card, activity, endedWith) ? .end : .keep
            case .dismissed, .swiped, .replaced, .signedOut: return .end
            }
        }
    }

    /// Whether a scheduled card is wanted at its time, or that time has passed.
    private func isWantedThen(_ card: Card, _ activity: Activity) -> Bool {
        guard !activity.isEnded, let scheduledAt = card.scheduledAt else { return false }
        let isReplaced = cards.contains { $0.replaces == card.id && $0.state != .lost }
        return scheduledAt <= now || card.isOnTime(for: activity.wanted) && !isReplaced
    }

    /// Whether a card has an active successor and no push can end it, since its app has uploaded no token.
    private func isReplacedBeyondReach(_ card: Card) -> Bool {
        limits.needsUpdateToken && card.updateToken == nil
            && cards.contains { $0.replaces == card.id && $0.state == .active }
    }

    /// Whether an ended card should leave the Lock Screen: past its dismissal, or where the system has ended it, so
    /// that no push changes it, beside a live card or after the end of its delivery.
    ///
    /// - Parameter revision: the shown revision; nil where the app sent none.
    private func isLeftBehind(_ card: Card, _ activity: Activity, _ revision: Revision?) -> Bool {
        if card.dismissedAt.map({ $0 <= now }) ?? false { return true }
        guard activity.isEnded else { return hasActiveDuplicate(card) }
        let end = activity.wanted.content.revision
        if let revision { return revision < end }
        let isSent = card.sent?.isEnd ?? false || card.inFlight?.event == .end
        return !isSent && card.shown.map { $0 < end } ?? true
    }

    /// Whether pushes could not reach a card, so that no replacement came before the system ended it, though its
    /// activity continues.
    ///
    /// The card is still on the Lock Screen, which shows that its owner did not remove it.
    func isLostAndNewest(_ card: Card) -> Bool {
        guard card.state == .lost, let activity = activities[card.activity], !activity.isEnded,
            device.mayShow(activity)
        else { return false }
        return cards.last { $0.activity == card.activity }?.id == card.id
    }

    /// Whether a lost card comes back once the owner of the phone, who has switched Live Activities off, switches them on
    /// again: the switch removed it, also where a push was answered before its app reported that.
    ///
    /// A card that had left before the switch may have been swiped away, and does not come back.
    func returnsWithPermission(_ card: Card) -> Bool {
        !device.isEnabled && card.dismissedAt == nil && isLostAndNewest(card)
    }

    /// Whether a lost card that an inventory lacks comes back: one that the switch removed, and one that was never
    /// confirmed and whose app now reports what it shows.
    func returnsAtInventory(_ card: Card) -> Bool {
        returnsWithPermission(card)
            || isLostAndNewest(card) && cards.hasLostStart(of: card.activity, limits: limits, now: now)
    }

    /// Whether an instance replaces the card's own instance, which is no longer on the phone.
    func isLeft(
        _ seen: DeviceReport.SeenInstance, of card: Card, among instances: Set<String>, at seenAt: Date
    ) -> Bool {
        func isSeen(_ other: Card) -> Bool { other.instance.map(instances.contains) ?? false }
        guard seen.state != .ended, !isSeen(card), !card.mustEnd,
            card.state == .lost ? !hasActiveDuplicate(card) : card.state.isOpen,
            seenAt >= (card.startedAt ?? .distantPast).addingTimeInterval(Card.deliveryGrace),
            let activity = activities[card.activity], !activity.isEnded, device.mayShow(activity)
        else { return false }
        return !cards.contains { $0.activity == card.activity && $0.state.isOnScreen && isSeen($0) }
    }

    func hasActiveDuplicate(_ card: Card) -> Bool {
        cards.contains { $0.id != card.id && $0.activity == card.activity && $0.state == .active }
    }

    /// Whether an activity has ended and its cards have left the Lock Screen.
    func isOver(_ activity: Activity) -> Bool {
        guard case .ended(let ended) = activity.wanted else { return false }
        return ended.dismissal.date(endedAt: ended.endedAt, now: ended.endedAt) <= now.epochSeconds
    }
}
