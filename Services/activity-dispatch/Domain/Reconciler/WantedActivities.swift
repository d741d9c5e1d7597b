import Foundation
import LiveActivity
import Messages

/// A live activity that a device should show, with the card that is to show it.
struct WantedActivity: Hashable, Sendable {
    let id: ActivityID
    /// Nil where none was made yet.
    let card: UUID?
    let shown: ShownActivity
}

/// What a device should show of its customer's live activities, what it shows first at the front; not more than it may.
///
/// Nothing that was swiped away or that an operator took off: its last card is over.
/// - Parameter cards: the device's cards, closed ones included, oldest first.
func wantedActivities(of live: [Activity], on device: Device, cards: [Card], limits: Limits) -> [WantedActivity] {
    guard device.isEnabled else { return [] }
    let newest = Dictionary(cards.map { ($0.activity, $0) }, uniquingKeysWith: { _, newer in newer })
    let wanted = live.sorted { $0.displayRank < $1.displayRank }.compactMap { activity -> WantedActivity? in
        guard device.mayShow(activity), case .show(let shown) = activity.wanted else { return nil }
        let card = newest[activity.id]
        switch card?.state {
        case nil, .signedOut: return WantedActivity(id: activity.id, card: nil, shown: shown)
        case .waiting, .starting, .active:
            guard let card, !card.mustEnd else { return nil }
            return WantedActivity(id: activity.id, card: card.id, shown: shown.of(card.id))
        case .ended, .dismissed, .swiped, .replaced, .lost: return nil
        }
    }
    return Array(wanted.prefix(limits.cardsPerDeviceMax))
}
