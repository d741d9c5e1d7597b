import FlowControl
import Foundation
import Messages
import OrderDomain
import ServiceRuntime

/// What a ``PageHub`` knows of the pages that are open in its process.
struct OpenPages {
    struct Page {
        let delivery: DeliveryID
        let customer: CustomerID
        /// Of its reader, and whether they gave the order's number.
        let network: String
        let isProven: Bool
        let signal: StreamSignal
        /// Whole seconds since the process began: of its next heartbeat, and of what time alone changes on it.
        var heartbeatAt: Int
        var changesAt: Int?
    }

    /// A customer whose intents are read.
    struct Follower {
        let task: Task<Void, Never>
        /// The customer's open pages by delivery.
        var deliveries: [DeliveryID: Int] = [:]
    }

    var byNumber: [Int: Page] = [:]
    var numbersByDelivery: [DeliveryID: Set<Int>] = [:]
    /// Of deliveries with an open page.
    var cards: [DeliveryID: WantedCards.Card] = [:]
    /// As they were last read.
    var versions: [DeliveryID: PageRepository.Version] = [:]
    /// Whether they could not be when they were compared last.
    var isUnread = false
    /// What reads the intents of a customer with open pages.
    var followers: [CustomerID: Follower] = [:]
    var timers = TimerWheel(at: 0)

    mutating func setTimer(of number: Int) {
        guard let page = byNumber[number] else { return }
        timers.set(number, at: min(page.heartbeatAt, page.changesAt ?? .max))
    }

    mutating func remove(_ number: Int) {
        guard let page = byNumber.removeValue(forKey: number) else { return }
        timers.remove(number)
        followers[page.customer]?.deliveries[page.delivery, default: 1] -= 1
        if followers[page.customer]?.deliveries[page.delivery] == 0 {
            followers[page.customer]?.deliveries[page.delivery] = nil
        }
        if followers[page.customer]?.deliveries.isEmpty == true {
            followers.removeValue(forKey: page.customer)?.task.cancel()
        }
        numbersByDelivery[page.delivery]?.remove(number)
        if numbersByDelivery[page.delivery]?.isEmpty == true {
            numbersByDelivery[page.delivery] = nil
            cards[page.delivery] = nil
            versions[page.delivery] = nil
        }
    }

    /// - Returns: whether it is another than before.
    mutating func set(_ version: PageRepository.Version?, of delivery: DeliveryID) -> Bool {
        guard numbersByDelivery[delivery] != nil, versions[delivery] != version else { return false }
        versions[delivery] = version
        return true
    }

    /// - Returns: whether it is news.
    mutating func take(_ card: WantedCards.Card) -> Bool {
        guard numbersByDelivery[card.delivery] != nil else { return false }
        if let known = cards[card.delivery], !card.isNews(after: known) { return false }
        cards[card.delivery] = card
        return true
    }

    /// The open pages of a delivery by their numbers, which rise.
    func pages(of delivery: DeliveryID) -> [Int: Page] {
        let numbers = numbersByDelivery[delivery] ?? []
        return Dictionary(uniqueKeysWithValues: numbers.compactMap { number in byNumber[number].map { (number, $0) } })
    }

    func signals(of delivery: DeliveryID) -> [StreamSignal] {
        (numbersByDelivery[delivery] ?? []).compactMap { byNumber[$0]?.signal }
    }
}
