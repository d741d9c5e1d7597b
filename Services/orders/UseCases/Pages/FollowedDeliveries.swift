import Messages
import OrderDomain
import Synchronization

/// The cached cards of deliveries with an open page; a delivery's last page evicts them.
final class FollowedDeliveries: Sendable {
    private struct Delivery {
        var pages = 0
        var card: WantedCards.Card?
        /// The delivery's version at the last read.
        var version: PageRepository.Version?
    }

    private struct Table {
        var byID: [DeliveryID: Delivery] = [:]
        var byCustomer: [CustomerID: Set<DeliveryID>] = [:]
    }

    private let table = Mutex(Table())

    /// Counts a page that was opened.
    ///
    /// - Returns: whether it is the first of its customer.
    func open(_ delivery: DeliveryID, of customer: CustomerID) -> Bool {
        table.withLock { table in
            table.byID[delivery, default: Delivery()].pages += 1
            let isFirst = table.byCustomer[customer] == nil
            table.byCustomer[customer, default: []].insert(delivery)
            return isFirst
        }
    }

    /// Counts a page that was closed.
    ///
    /// - Returns: whether it was the last of its customer.
    func close(_ delivery: DeliveryID, of customer: CustomerID) -> Bool {
        table.withLock { table in
            table.byID[delivery]?.pages -= 1
            guard table.byID[delivery]?.pages == 0 else { return false }
            table.byID[delivery] = nil
            table.byCustomer[customer]?.remove(delivery)
            guard table.byCustomer[customer]?.isEmpty == true else { return false }
            table.byCustomer[customer] = nil
            return true
        }
    }

    func contains(_ delivery: DeliveryID) -> Bool { table.withLock { $0.byID[delivery] != nil } }

    func deliveries(of customer: CustomerID) -> [DeliveryID] {
        table.withLock { Array($0.byCustomer[customer] ?? []) }
    }

    /// The delivery's wanted card, as far as known.
    func card(of delivery: DeliveryID) -> WantedCards.Card? { table.withLock { $0.byID[delivery]?.card } }

    /// Stores the wanted state of a card, unless the known one is as new.
    ///
    /// - Returns: whether it is stored.
    func keep(_ card: WantedCards.Card) -> Bool {
        table.withLock { table in
            guard let known = table.byID[card.delivery], known.card.map(card.isNews) ?? true else { return false }
            table.byID[card.delivery]?.card = card
            return true
        }
    }

    /// Keeps the version at which a delivery was read.
    ///
    /// - Returns: whether it is another than before, and whether one was known before.
    func keep(_ version: PageRepository.Version?, of delivery: DeliveryID) -> (isAnother: Bool, wasKnown: Bool) {
        table.withLock { table in
            guard let known = table.byID[delivery], known.version != version else { return (false, false) }
            table.byID[delivery]?.version = version
            return (true, known.version != nil)
        }
    }
}
