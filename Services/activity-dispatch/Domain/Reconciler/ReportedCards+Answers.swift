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
            case .waiting, .starting: return isOver(activity) ? .end : .keep
            case .active: return isOver(activity) || isReplacedBeyondReach(card) ? .end : .keep
            case .lost: return isOver(activity) || hasActiveDuplicate(card) ? .end : .keep
            case .ended: return isLeftBehind(card, activity, endedWith) ? .end : .keep
            case .dismissed, .swiped, .replaced, .signedOut: return .end
            }
        }
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

    /// Whether an activity has ended and its cards have left the Lock Screen.
    func isOver(_ activity: Activity) -> Bool {
        guard case .ended(let ended) = activity.wanted else { return false }
        return ended.dismissal.date(endedAt: ended.endedAt, now: ended.endedAt) <= now.epochSeconds
    }
}
