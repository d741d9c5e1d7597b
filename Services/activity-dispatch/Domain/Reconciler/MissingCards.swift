import Foundation
import Messages

/// A card that a device should have and lacks.
struct MissingCard: Hashable, Sendable {
    let activity: Activity
    /// A card that was ended when another customer signed in, and that may still be on the screen if its end was lost.
    let replaces: UUID?
}

/// The cards that a device lacks of its customer's live activities.
///
/// A swiped, replaced or lost card is not missing, so that no push starts its successor; a card ended by another
/// customer's sign-in comes back with its customer.
///
/// - Parameter cards: the device's cards, oldest first.
func missingCards(of activities: [Activity], on device: Device, cards: [Card]) -> [MissingCard] {
    let newest = Dictionary(cards.map { ($0.activity, $0) }, uniquingKeysWith: { _, newer in newer })
    return activities.compactMap { activity in
        guard device.mayShow(activity), !activity.isEnded else { return nil }
        guard let card = newest[activity.id] else { return MissingCard(activity: activity, replaces: nil) }
        return card.state == .signedOut ? MissingCard(activity: activity, replaces: card.id) : nil
    }
}

extension [Card] {
    /// Whether the newest card of an activity was never confirmed and has certainly left the phone, so that its app may
    /// start another.
    ///
    /// No push starts another: without its app it is not known whether the owner swiped the first one away.
    func hasLostStart(of activity: ActivityID, limits: Limits, now: Date) -> Bool {
        let own = filter { $0.activity == activity }
        return own.last?.isLostStart(limits, at: now) ?? false && !own.contains { $0.state == .swiped }
            && own.count < ReportedCards.claimsPerActivityMax
    }
}

extension Card {
    /// Whether no report has ever named the card, and the system has removed it if its start made one.
    fileprivate func isLostStart(_ limits: Limits, at now: Date) -> Bool {
        guard state == .lost, !mustEnd, instance == nil, shown == nil, let startedAt else { return false }
        return now >= startedAt.addingTimeInterval(limits.confirmationMax)
    }
}
