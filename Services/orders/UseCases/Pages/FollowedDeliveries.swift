import Messages
import OrderDomain
import Synchronization

/// The cached cards of deliveries with an open page; a delivery's last page evicts them.
final class FollowedDeliveries: Sendable {
    private struct Delivery {
        var card: WantedCards.Card?
        /// The delivery's version at the last read.
        var version: PageRepository.Version?
    }

    private let byID = Mutex<[DeliveryID: Delivery]>([:])

    /// Caches the card of a delivery from now on; without effect where it does already.
    func begin(_ delivery: DeliveryID) { byID.withLock { $0[delivery] = $0[delivery] ?? Delivery() } }

    func end(_ delivery: DeliveryID) { byID.withLock { $0[delivery] = nil } }

    func contains(_ delivery: DeliveryID) -> Bool { byID.withLock { $0[delivery] != nil } }

    /// The delivery's wanted card, as far as known.
    func card(of delivery: DeliveryID) -> WantedCards.Card? { byID.withLock { $0[delivery]?.card } }

    /// Stores the wanted state of a card, unless the known one is as new.
    ///
    /// - Returns: whether it is stored.
    func keep(_ card: WantedCards.Card) -> Bool {
        byID.withLock { byID in
            guard let known = byID[card.delivery], known.card.map(card.isNews) ?? true else { return false }
            byID[card.delivery]?.card = card
            return true
        }
    }

    /// Keeps the version at which a delivery was read.
    ///
    /// - Returns: whether it is another than before, and whether one was known before.
    func keep(_ version: PageRepository.Version?, of delivery: DeliveryID) -> (isAnother: Bool, wasKnown: Bool) {
        byID.withLock { byID in
            guard let known = byID[delivery], known.version != version else { return (false, false) }
            byID[delivery]?.version = version
            return (true, known.version != nil)
        }
    }
}
