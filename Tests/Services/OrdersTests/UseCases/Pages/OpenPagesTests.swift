import DomainTime
import Foundation
import LiveActivity
import Logging
import Messages
import NatsClient
import OrderDomain
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Places of open pages", .timeLimit(.minutes(10)))
struct OpenPagesTests {
    private let pages = OpenPages(logger: .silent)
    private let delivery = DeliveryID(UUID())

    private func open(_ network: Int, isProven: Bool = false, of other: DeliveryID? = nil) -> StreamSlot? {
        pages.open(
            other ?? delivery,
            for: PageReader(owner: OrdersUnderTest.customer, network: "192.0.2.\(network)", isProven: isProven))
    }

    @Test("A delivery has so many open pages at most; each that is closed makes room")
    func room() async throws {
        let first = try #require(open(1))
        var slots = (4..<OpenPages.unprovenPagesPerDeliveryMax + 3).map {
            open(10 + $0 / OpenPages.pagesPerNetworkMax)
        }
        #expect(slots.allSatisfy { $0 != nil })
        #expect(open(100) == nil, "readers without the number leave the customer room")
        let proven = (0..<10).map { open(200 + $0 / OpenPages.pagesPerNetworkMax, isProven: true) }
        #expect(proven.allSatisfy { $0 != nil })
        #expect(open(210, isProven: true) == nil)
        // A reader who is refused closes no other's page.
        #expect(open(200) == nil)
        for slot in proven {
            slot?.signal.notify()
            #expect(await slot?.signal.next() == .events)
        }
        slots.removeLast()
        #expect(open(100) != nil)
        withExtendedLifetime((first, slots, proven)) {}
    }

    @Test("Of one network few pages of a delivery are open: for one more the first is told and ends, and no other")
    func networks() async throws {
        let other = try #require(open(7, of: DeliveryID(UUID())))
        let proven = try #require(open(7, isProven: true))
        let slots = try (1..<OpenPages.pagesPerNetworkMax).map { _ in try #require(open(7)) }
        var kept: [StreamSlot] = []
        for ended in slots {
            let next = try #require(open(7))
            kept.append(next)
            #expect(await ended.signal.next() == nil)
            #expect(ended.signal.lastEvent?.event == "replaced")
            // What is open goes on.
            for signal in [next.signal, proven.signal, other.signal] {
                signal.notify()
                #expect(await signal.next() == .events)
                #expect(signal.lastEvent == nil)
            }
        }
        withExtendedLifetime(kept) {}
    }

    @Test("Of a batch of intents those of open pages are applied, and the others are not even decoded")
    func batches() throws {
        let slot = try #require(open(1))
        let (followed, other) = (ActivityID(delivery, episode: 1), ActivityID(DeliveryID(UUID()), episode: 1))
        let cards = PageCards(pages: pages, client: WantedCardsClient { _, _ in [] })
        let intents = PageIntents(
            nats: NatsClient(NatsConfiguration(), logger: Logger(label: "tests")), pages: pages, cards: cards,
            clock: DomainClock.wall)
        let step = ActivityStep.after(DeliverySnapshot(try Delivery.sample(), links: []), arrival: nil, step: 0)
        let intent = Intent(
            activity: followed, customer: OrdersUnderTest.customer, delivery: delivery, writer: .orders, step: step)
        let message = OutboxBatch([
            OutboxMessage(subject: Subject.intents(.orders), key: other.rawValue, payload: Array("{".utf8)),
            try OutboxMessage(subject: Subject.intents(.orders), key: followed.rawValue, encoding: intent),
        ]).messages[0]
        intents.handle(NatsMessage(subject: message.subject, payload: message.payload, headers: message.headers))
        #expect(pages.followed.card(of: delivery)?.step == step)
        #expect(pages.streams.owners == [OrdersUnderTest.customer])
        withExtendedLifetime(slot) {}
    }

    @Test("A customer's intents are followed from the first of their pages to the last")
    func customers() async throws {
        var slots = [open(1), open(2), open(1, of: DeliveryID(UUID()))]
        for _ in 1...3 { slots.removeFirst() }
        let again = open(3)
        var changes = pages.customerChanges.makeAsyncIterator()
        let customer = OrdersUnderTest.customer
        for expected in [OpenPages.CustomerChange.began(customer), .ended(customer), .began(customer)] {
            #expect(await changes.next() == expected)
        }
        withExtendedLifetime(again) {}
    }
}
