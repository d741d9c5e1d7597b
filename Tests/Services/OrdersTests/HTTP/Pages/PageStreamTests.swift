import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

extension PageReader {
    /// Has the link of a delivery of the tests' customer, and not the order's number.
    static let unproven = PageReader(owner: OrdersUnderTest.customer, network: "192.0.2.1", isProven: false)
}

@Suite("Open pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PageStreamTests {
    /// A delivery on its way whose page is open.
    struct Open {
        let orders: OrdersUnderTest
        let delivery: DeliveryID
        let link: Link
        var stream: PageStream

        mutating func events() async throws -> [String?]? { try await stream.next()?.map(\.event) }

        func record() async throws -> DeliveryRecord {
            try #require(try await OrderRepository.delivery(delivery, on: orders.pool))
        }

        /// What `orders` would write.
        func own() async throws -> ActivityStep {
            orders.change.messages.intent(for: try await record(), at: orders.clock.now).step
        }

        /// What `activity-dispatch` wants shown, with so many minutes left.
        func wanted(step: Int, minutes: Int, version: Int? = nil) async throws -> WantedCards.Card {
            guard case .show(let shown) = try await own() else { throw NotShown() }
            var content = shown.content
            let now = orders.clock.now.epochSeconds
            content.arrival = Window(from: now + (minutes - 2) * 60, to: now + minutes * 60)
            content.revision = Revision(version: version ?? content.revision.version, step: step)
            return WantedCards.Card(
                delivery: delivery, activity: ActivityID(delivery, episode: 1),
                step: .show(
                    ShownActivity(
                        attributes: shown.attributes, content: content, startAt: shown.startAt,
                        staleAt: now + 600, relevance: 1, alert: nil)),
                at: now)
        }
    }

    private struct NotShown: Error {}

    func withOpenPage(
        on database: PostgresConfiguration? = nil, _ body: @escaping @Sendable (inout Open) async throws -> Void
    ) async throws {
        try await OrdersUnderTest.run(on: database) { orders, client in
            let placed = try await orders.place(client, try orders.body()).deliveries[0]
            try await orders.assign("mira", placed.id, client)
            try await orders.set([.accepted, .picking, .pickedUp], placed.id, client)
            _ = try await orders.send(
                client, .post, "/v1/deliveries/\(placed.id)/view-link", as: .store, "nordhavn")
            let link = Link.view(of: placed.id, number: 1)
            let slot = try #require(orders.pages.open(placed.id, for: .unproven))
            let stream = PageStream(
                token: orders.pressLink.signer.token(of: link), proof: { _ in nil }, words: Words(locale: "en"),
                show: orders.showPage, slot: slot)
            var open = Open(orders: orders, delivery: placed.id, link: link, stream: stream)
            try await body(&open)
        }
    }

    @Test("A page is sent the card and the order at first, and then only what is another")
    func changes() async throws {
        try await withOpenPage { open in
            open.orders.wanted.set(try await open.wanted(step: 1, minutes: 12), of: open.delivery)
            #expect(try await open.events() == ["card", "order"])
            #expect(try await open.events() == [])
            open.orders.cards.update(try await open.wanted(step: 2, minutes: 9))
            #expect(try await open.events() == ["card"])
            // An older one, and the same again.
            open.orders.cards.update(try await open.wanted(step: 1, minutes: 30))
            open.orders.cards.update(try await open.wanted(step: 2, minutes: 30))
            #expect(try await open.events() == [])
        }
    }

    @Test("What is wanted wakes the page of its delivery, and is forgotten when the last page is closed")
    func wakes() async throws {
        try await withOpenPage { open in
            let card = try await open.wanted(step: 1, minutes: 12)
            let signal = open.stream.slot.signal
            open.orders.cards.update(card)
            #expect(await signal.next() == .events)
            let other = WantedCards.Card(
                delivery: DeliveryID(UUID()), activity: card.activity, step: card.step, at: card.at)
            open.orders.cards.update(other)
            #expect(open.orders.pages.streams.count == 1)
            #expect(await open.orders.cards.card(of: other.delivery).card == nil)
            #expect(await open.orders.cards.card(of: open.delivery).card == card)
        }
    }

    @Test("With the last page of a delivery everything of it is let go")
    func closed() async throws {
        try await withOpenPage { open in
            let other = DeliveryID(UUID())
            var slot = open.orders.pages.open(other, for: .unproven)
            let card = WantedCards.Card(
                delivery: other, activity: ActivityID(other, episode: 1),
                step: try await open.wanted(step: 1, minutes: 9).step, at: 0)
            open.orders.cards.update(card)
            #expect(slot != nil && open.orders.pages.streams.count == 2)
            let known = await open.orders.cards.card(of: other).card
            slot = nil
            #expect(known == card && open.orders.pages.streams.count == 1)
            // Asked for again, and there is none.
            #expect(await open.orders.cards.card(of: other).card == nil)
        }
    }

    @Test("A page that connects again is sent nothing older than what it shows")
    func resumed() async throws {
        try await withOpenPage { open in
            open.orders.wanted.set(try await open.wanted(step: 4, minutes: 12), of: open.delivery)
            let id = try #require(try await open.stream.next()?.first?.id)
            let shown = try #require(PageStream.CardRevision(id))
            for (step, isSent) in [(3, false), (4, true), (5, true)] {
                let newer = PageStream.CardRevision(
                    PageCard(
                        wanted: try await open.wanted(step: step, minutes: 5), own: try await open.own(),
                        of: try await open.record().delivery, now: open.orders.clock.now.epochSeconds), episode: 1)
                #expect((newer >= shown) == isSent, "\(step)")
            }
            #expect(PageStream.CardRevision("1.0.x.2") == nil && PageStream.CardRevision(shown.text) == shown)
        }
    }

    @Test(
        "What changes without the courier's positions is never stale on a page, however long nothing changes",
        arguments: [(.accepted, 0), (.atDoor, 1), (.attempted, 1)] as [(StatusCode, Int)])
    func prolonged(code: StatusCode, step: Int) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            let codes = [StatusCode.accepted, .picking, .pickedUp, .enRoute, .atDoor, .attempted]
            for next in codes.prefix(through: try #require(codes.firstIndex(of: code))) {
                try await orders.set(next, id, client)
            }
            let record = try #require(try await OrderRepository.delivery(id, on: orders.pool))
            func card() -> PageCard {
                let own = orders.change.messages.intent(for: record, at: orders.clock.now).step
                return PageCard(
                    wanted: wanted, own: own, of: record.delivery, now: orders.clock.now.epochSeconds)
            }
            let first = orders.change.messages.intent(for: record, at: orders.clock.now).step
            var content = first.content
            content.revision = Revision(version: content.revision.version, step: step)
            let wanted = WantedCards.Card(
                delivery: id, activity: ActivityID(id, episode: 1), step: first.with(content),
                at: orders.clock.now.epochSeconds)
            orders.clock.advance(by: 3 * 3_600)
            let now = orders.clock.now.epochSeconds
            #expect(card().phoneCard(at: now).state == .active)
        }
    }

    @Test("The minutes that are left change a page, and it turns stale when nothing came")
    func time() async throws {
        try await withOpenPage { open in
            open.orders.wanted.set(try await open.wanted(step: 1, minutes: 12), of: open.delivery)
            let first = try #require(try await open.stream.next()?.first?.data)
            #expect(first.contains("within 12 min"), "it counts to the end of the window")
            open.orders.clock.advance(by: 61)
            let second = try #require(try await open.stream.next()?.first?.data)
            #expect(second.contains("11 min") && second.contains("data-title=\"11 min"))
            open.orders.clock.advance(by: 600)
            let stale = try #require(try await open.stream.next()?.first?.data)
            #expect(stale.contains("No news from Mira since") && !stale.contains("data-title=\"1 min"))
        }
    }

    @Test("Without the database a page is sent so once, and when it is back, behind what it missed, that too")
    func databaseAway() async throws {
        let database = try await PrivatePostgres.start()
        var configuration = database.configuration
        configuration.schema = "public"
        configuration.acquireTimeout = .seconds(1)
        try await withOpenPage(on: configuration) { open in
            open.orders.wanted.set(try await open.wanted(step: 1, minutes: 12), of: open.delivery)
            #expect(try await open.events() == ["card", "order"])
            let newer = try await open.wanted(step: 2, minutes: 9)
            try await database.stopImmediately()
            await #expect(throws: PostgresError.self) { try await open.orders.comparison.compare() }
            let signal = open.stream.slot.signal
            signal.heartbeat()
            #expect(await signal.next() == .events)
            #expect(try await open.events() == ["unavailable"])
            open.orders.cards.update(newer)
            #expect(try await open.events() == [])
            try await database.restart()
            var events: [String?] = []
            while events.isEmpty { events = try #require(try await open.events()) }
            #expect(events == ["card", "available"])
            #expect(try await open.events() == [])
        }
        try await database.stop()
    }

    @Test("A page whose link is revoked is told that it is over, and ends")
    func over() async throws {
        try await withOpenPage { open in
            _ = try await open.stream.next()
            #expect(try await ViewLinkRepository.revoke(of: open.delivery, on: open.orders.pool))
            #expect(try await open.events() == ["over"])
            #expect(try await open.events() == nil)
        }
    }

    @Test("A comparison wakes the pages of what changed or was revoked while nothing came, and no others")
    func comparison() async throws {
        try await withOpenPage { open in
            let signal = open.stream.slot.signal
            _ = try await open.stream.next()
            // Nothing is another: the heartbeat is all that comes.
            try await open.orders.comparison.compare()
            signal.heartbeat()
            #expect(await signal.next() == .heartbeat)
            #expect(try await ViewLinkRepository.revoke(of: open.delivery, on: open.orders.pool))
            try await open.orders.comparison.compare()
            #expect(await signal.next() == .events)
            #expect(try await open.events() == ["over"])
        }
    }

    @Test("What somebody else reads wakes the pages that show another version")
    func readElsewhere() async throws {
        try await withOpenPage { open in
            let signal = open.stream.slot.signal
            _ = try await open.stream.next()
            #expect(try await ViewLinkRepository.revoke(of: open.delivery, on: open.orders.pool))
            let token = open.orders.pressLink.signer.token(of: open.link)
            await #expect(throws: PressLink.Refusal.self) { _ = try await open.orders.showPage(token) { _ in nil } }
            // A heartbeat is behind whatever else there is.
            signal.heartbeat()
            #expect(await signal.next() == .events)
        }
    }
}
