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
/// A swiped, replaced or lost card is not missing and gets no successor; a card ended by another customer's sign-in
/// comes back with its customer.
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
