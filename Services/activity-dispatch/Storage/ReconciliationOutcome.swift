import Foundation
import OrderDomain

/// What a round of a device changed, as it is written back.
struct RoundOutcome {
    /// Cards that are not as they were read.
    let changed: [StoredCard]
    /// Leased pushes with their cards, where they have yet to be sent.
    let sends: [(push: Push, card: Card)]
    /// Deliveries whose cards' health may be another now.
    let healthChanged: Set<DeliveryID>
    /// Whether a push is on its way to one of the cards.
    let isAway: Bool
    private let deliveries: [UUID: DeliveryID]

    /// - Parameter leasedUntil: wall time at which a push that was leased now is given up.
    init(
        _ round: DeviceRound, before: [(activity: Activity, stored: StoredCard)], isTransactional: Bool,
        leasedUntil: Date
    ) {
        let known = Dictionary(uniqueKeysWithValues: before.map { ($0.stored.card.id, $0.stored) })
        let pushed = Set(round.pushes.map(\.card))
        var changed: [StoredCard] = []
        var healthChanged: Set<DeliveryID> = []
        var deliveries: [UUID: DeliveryID] = [:]
        var isAway = false
        for placed in round.placed {
            let old = known[placed.card.id]
            var new = old ?? StoredCard(placed.card)
            new.card = placed.card
            let standing = round.standings[placed.card.id]
            new.reason = standing?.reason.rawValue
            let isBehind = standing?.isBehind == true
            new.behindSince = isBehind ? old?.behindSince ?? round.now : nil
            if !isTransactional, pushed.contains(placed.card.id) { new.leasedUntil = leasedUntil }
            if standing?.reason == .inFlight { isAway = true }
            deliveries[placed.card.id] = placed.activity.delivery
            if old?.card != new.card || old?.reason != new.reason || old?.behindSince != new.behindSince {
                changed.append(new)
            }
            let isAsBefore =
                (old?.behindSince != nil) == isBehind && old?.card.state == new.card.state
                && (!isBehind || old?.reason == new.reason)
            if !isAsBefore, let delivery = placed.activity.delivery { healthChanged.insert(delivery) }
        }
        let cards = Dictionary(uniqueKeysWithValues: round.placed.map { ($0.card.id, $0.card) })
        self.changed = changed
        self.healthChanged = healthChanged
        self.deliveries = deliveries
        self.isAway = isAway
        sends = round.pushes.compactMap { push in cards[push.card].map { (push, $0) } }
    }

    func delivery(of push: Push) -> DeliveryID? { deliveries[push.card] }
}
