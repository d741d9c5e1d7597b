import Foundation
import LiveActivity
import WireCoding

/// The alert of a card's next start or update; nil without one.
///
/// No card is removed for a question. Where its own card has no slot, the summary's card announces it, which has a
/// button to the delivery. That push reserves the alert on the own card too, which does not repeat it when it starts.
func alertDue(
    _ activity: Activity, _ card: Card, _ otherCards: OtherCards, _ limits: Limits, _ now: Date
) -> ActivityAlert? {
    if let own = card.alertDue(in: activity.wanted, now: now) { return own }
    guard activity.isSummary, !activity.isEnded else { return nil }
    return otherCards.questionsWithoutSlot(of: activity.customer, limits: limits, now: now)
        .first { card.mayAlert($0, now: now) }
}

extension Card {
    /// The wanted state's alert, unless this card had it already or it has expired.
    func alertDue(in wanted: ActivityStep, now: Date) -> ActivityAlert? {
        wanted.alert.flatMap { mayAlert($0, now: now) ? $0 : nil }
    }

    fileprivate func mayAlert(_ alert: ActivityAlert, now: Date) -> Bool {
        unlessAlerted(alert) != nil && now.epochSeconds <= alert.validUntil
    }

    /// The alert; nil where it was reserved for this card.
    func unlessAlerted(_ alert: ActivityAlert) -> ActivityAlert? { alert.isAnnounced(in: alertedIDs) ? nil : alert }

    /// Reserves an alert, which the card does not raise from here on.
    mutating func reserve(_ alert: String) { alertedIDs = (alertedIDs + [alert]).suffix(Self.alertedIDsMax) }

    /// Releases a reserved alert, which certainly reached no phone.
    mutating func release(_ alert: String) { alertedIDs.removeAll { $0 == alert } }
}
