import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import NatsClient
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WebhookSignatures
import WireCoding

@testable import Partners

@Suite("Events and who is told of them", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EventsTests {
    private func types(_ partners: PartnersUnderTest) throws -> [String] {
        try partners.receivers.posted.map {
            try WireJSON.decode(WebhookEventBody.self, from: $0.body).type.rawValue
        }
    }

    @Test("What nobody subscribes to is applied by its outline; of what somebody does the whole is decoded")
    func outlines() async throws {
        try await PartnersUnderTest.run { partners, client in
            let delivery = try partners.delivery()
            let change = DeliveryChanged(
                delivery: delivery, links: [], cause: "placed", changedAt: PartnersUnderTest.start)
            // The outline of it can be read, and the whole cannot.
            let text = String(decoding: try WireJSON.encode(change), as: UTF8.self)
                .replacing(#""links":[]"#, with: #""links":7"#)
            let context = MessageContext(
                message: StreamMessage(subject: Subject.deliveriesChanged, payload: Array(text.utf8)), logger: .silent)
            let message = try context.decoded(as: DeliveryChangedOutline.self)
            let messages = PartnersMessages(applyDeliveryChange: partners.parts.applyDeliveryChange)
            try await messages.handle([(message: message, context: context)])
            #expect(
                try await DeliveryRepository.store(of: delivery.id, on: partners.pool) == delivery.store.id)
            try await partners.addEndpoint(client)
            let replica = PartnersMessages(applyDeliveryChange: partners.replica().applyDeliveryChange)
            let error = await #expect(throws: (any Error).self) {
                try await replica.handle([(message: message, context: context)])
            }
            #expect(error.map(FailureKind.init) == .badMessage, "it becomes a dead letter")
        }
    }

    @Test("The customer's feedback is an event of its own, with its items, and so is no later change")
    func feedback() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try partners.delivery()
            let items = delivery.items.prefix(1).map(\.id)
            var messages = [
                DeliveryChanged(delivery: delivery, links: [], cause: "placed", changedAt: partners.clock.now)
            ]
            let changes: [(DeliveryChange, cause: String)] = [
                (.override(.delivered, reason: "a test"), "status"),
                (.feedback(.missing, items: items), "feedback"),
                (.override(.delivered, reason: "refunded"), "status"),
            ]
            for (change, cause) in changes {
                let before = delivery.status
                _ = try delivery.apply(change, at: partners.clock.now)
                messages.append(
                    DeliveryChanged(
                        delivery: delivery, links: [], cause: cause, changedAt: partners.clock.now,
                        reached: delivery.status.codesReached(from: before)))
            }
            try await partners.parts.applyDeliveryChange(messages)
            while try await partners.parts.sender.sendDue() > 0 {}
            let events = try partners.receivers.posted.map {
                try WireJSON.decode(WebhookEventBody.self, from: $0.body)
            }
            let own = events.filter { $0.data.feedback != nil }.sorted { $0.data.version < $1.data.version }
            #expect(own.map(\.type) == [.feedback, .changed])
            #expect(own.first?.data.feedback?.items?.map(\.id) == items && own.first?.data.feedback?.settledAt == nil)
            #expect(own.last?.data.feedback?.settledAt != nil)
        }
    }

    @Test("Each status is told of once, with the whole state, whatever is redelivered and in whatever order")
    func eachOnce() async throws {
        try await PartnersUnderTest.run { partners, client in
            let endpoint = try await partners.addEndpoint(client)
            var delivery = try partners.delivery()
            var messages = [
                DeliveryChanged(delivery: delivery, links: [], cause: "placed", changedAt: PartnersUnderTest.start)
            ]
            for code in [StatusCode.accepted, .picking, .staged] {
                let before = delivery.status
                partners.clock.advance(by: 60)
                _ = try delivery.apply(.status(code, reason: nil), at: partners.clock.now)
                messages.append(
                    DeliveryChanged(
                        delivery: delivery, links: [DeliveryLink(verb: "call", url: "https://go.example/l/x")],
                        cause: "status", changedAt: partners.clock.now,
                        reached: delivery.status.codesReached(from: before)))
            }
            for message in (messages + messages).shuffled() { try await partners.parts.applyDeliveryChange([message]) }
            try await partners.parts.applyDeliveryChange(messages)
            #expect(try await partners.parts.sender.sendDue() == 4)
            #expect(try await partners.parts.sender.sendDue() == 0)
            #expect(
                Set(try types(partners)) == [
                    "delivery.placed", "delivery.accepted", "delivery.picking", "delivery.staged",
                ])
            let newest = try #require(
                partners.receivers.posted.map { try WireJSON.decode(WebhookEventBody.self, from: $0.body) }
                    .max { $0.data.version < $1.data.version })
            #expect(newest.type.rawValue == "delivery.staged" && newest.data.version == delivery.version)
            #expect(newest.data == .init(delivery))
            let key = try WebhookKey(try #require(endpoint.secret))
            for posted in partners.receivers.posted {
                let text = String(decoding: posted.body, as: UTF8.self)
                #expect(!text.contains("/l/") && !text.contains("latitude") && !text.contains("phone"))
                #expect(posted.headers["content-type"] == "application/json")
                let webhook = StandardWebhook(
                    id: posted.id, timestamp: posted.headers["webhook-timestamp"] ?? "",
                    signature: posted.headers["webhook-signature"] ?? "")
                try webhook.verify(posted.body, keys: [key], now: Date())
            }
        }
    }

    @Test("Whoever subscribes gets what happens after the answer, whichever replica takes it in")
    func subscribed() async throws {
        try await PartnersUnderTest.run { partners, client in
            let replica = partners.replica()
            var delivery = try partners.delivery()
            let urls = ["http://shop.example/1", "http://shop.example/2"]
            for (url, code) in zip(urls, [StatusCode.accepted, .picking]) {
                // What the replica reads now, it goes by for a while.
                _ = try await replica.applyDeliveryChange.subscriptions()
                try await partners.addEndpoint(client, url: url)
                let before = delivery.status
                _ = try delivery.apply(.status(code, reason: nil), at: partners.clock.now)
                try await replica.applyDeliveryChange([
                    DeliveryChanged(
                        delivery: delivery, links: [], cause: "status", changedAt: partners.clock.now,
                        reached: delivery.status.codesReached(from: before))
                ])
            }
            while try await partners.parts.sender.sendDue() > 0 {}
            #expect(partners.receivers.posted.map(\.url).sorted() == [urls[0], urls[0], urls[1]])
        }
    }

    @Test("What the broker lost is told of by what is republished, and nothing is told twice by it")
    func republished() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            // Nobody hears of these two.
            for code in [StatusCode.accepted, .picking] {
                _ = try delivery.apply(.status(code, reason: nil), at: partners.clock.now)
            }
            let revisions = [
                PublishedRevision(id: delivery.id.rawValue, version: delivery.version),
                PublishedRevision(id: UUID().uuidString.lowercased(), version: 1),
            ]
            #expect(try await DeliveryRepository.lacking(revisions, on: partners.pool) == [0, 1])
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(try await DeliveryRepository.lacking(revisions, on: partners.pool) == [1])
            _ = try await partners.parts.sender.sendDue()
            #expect(Set(try types(partners)) == ["delivery.placed", "delivery.picking"])
            #expect(partners.receivers.posted.count == 2)
        }
    }

    @Test("A delivery that is first heard of by what is republished is told of to whoever had subscribed before")
    func firstRepublished() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client, url: "http://early.example/")
            partners.clock.advance(by: 60)
            var delivery = try partners.delivery()
            _ = try delivery.apply(.status(.accepted, reason: nil), at: partners.clock.now)
            partners.clock.advance(by: 60)
            try await partners.addEndpoint(client, url: "http://late.example/")
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            while try await partners.parts.sender.sendDue() > 0 {}
            #expect(partners.receivers.posted.map(\.url) == ["http://early.example/"])
            #expect(try types(partners) == ["delivery.accepted"])
        }
    }

    @Test("What a republished version stood for is not told of again by messages that come after it")
    func lateOriginals() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            var originals: [DeliveryChanged] = []
            for code in [StatusCode.accepted, .picking, .staged] {
                let before = delivery.status
                _ = try delivery.apply(.status(code, reason: nil), at: partners.clock.now)
                originals.append(
                    DeliveryChanged(
                        delivery: delivery, links: [], cause: "status", changedAt: partners.clock.now,
                        reached: delivery.status.codesReached(from: before)))
            }
            try await partners.learn(originals[1].delivery, cause: DeliveryEvent.republished)
            try await partners.parts.applyDeliveryChange(originals)
            while try await partners.parts.sender.sendDue() > 0 {}
            #expect(try types(partners).sorted() == ["delivery.picking", "delivery.placed", "delivery.staged"])
        }
    }

    @Test("Without a subscription a delivery is one row, and a new subscription is told of what happens from then on")
    func unsubscribed() async throws {
        try await PartnersUnderTest.run { partners, client in
            var delivery = try await partners.learnDelivery()
            try await partners.change(&delivery, .status(.accepted, reason: nil))
            let revisions = [PublishedRevision(id: delivery.id.rawValue, version: delivery.version)]
            #expect(try await DeliveryRepository.lacking(revisions, on: partners.pool).isEmpty)
            #expect(try await partners.pool.query("SELECT event_id FROM events").isEmpty)
            partners.clock.advance(by: 60)
            try await partners.addEndpoint(client)
            #expect(try await DeliveryRepository.lacking(revisions, on: partners.pool) == [0])
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(try await partners.parts.sender.sendDue() == 0)
            try await partners.change(&delivery, .status(.picking, reason: nil))
            _ = try await partners.parts.sender.sendDue()
            #expect(try types(partners) == ["delivery.picking"])
        }
    }

    @Test("An end or reopening whose message was lost is lacking, also where nobody subscribes, until it is learnt")
    func lostEnd() async throws {
        try await PartnersUnderTest.run { partners, _ in
            var delivery = try await partners.learnDelivery()
            for code in [StatusCode.cancelled, .picking] {
                _ = try delivery.apply(.override(code, reason: "the customer called"), at: partners.clock.now)
                let revisions = [
                    PublishedRevision(
                        id: delivery.id.rawValue, isEnded: delivery.endedAt != nil, version: delivery.version)
                ]
                #expect(try await DeliveryRepository.lacking(revisions, on: partners.pool) == [0])
                try await partners.learn(delivery, cause: DeliveryEvent.republished)
                #expect(try await DeliveryRepository.lacking(revisions, on: partners.pool).isEmpty)
            }
        }
    }

    @Test("An endpoint is told of its store's deliveries and its events alone")
    func filters() async throws {
        try await PartnersUnderTest.run { partners, client in
            let picking = WebhookEventType(reached: .picking)
            try await partners.addEndpoint(client, url: "http://a.example/", events: [picking, .changed])
            try await partners.addEndpoint(client, url: "http://b.example/", tokenStore: "mitte")
            try await partners.addEndpoint(client, url: "http://c.example/", store: StoreID(rawValue: "nordhavn"))
            var (own, other) = (try partners.delivery(), try partners.delivery(store: "mitte"))
            try await partners.learn(own)
            try await partners.learn(other)
            try await partners.change(&own, .status(.accepted, reason: nil))
            try await partners.change(&own, .status(.picking, reason: nil))
            try await partners.change(&own, .hold(reason: "why"))
            try await partners.change(&other, .status(.accepted, reason: nil))
            while try await partners.parts.sender.sendDue() > 0 {}
            let counts = Dictionary(grouping: partners.receivers.posted, by: \.url).mapValues(\.count)
            #expect(counts == ["http://a.example/": 2, "http://b.example/": 2, "http://c.example/": 4])
        }
    }

    @Test("A basket that would make a body too large is left out of it")
    func largeBasket() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            let delivery = try await partners.learnDelivery(items: 200)
            _ = try await partners.parts.sender.sendDue()
            let posted = try #require(partners.receivers.posted.first)
            #expect(posted.body.count < 20_000)
            let body = try WireJSON.decode(WebhookEventBody.self, from: posted.body)
            #expect(body.data.items == nil && body.data.id == delivery.id)
        }
    }

    @Test("Every event can be triggered, is marked as a test and decodes", arguments: WebhookEventType.all)
    func samples(type: WebhookEventType) async throws {
        let store = try #require(StoreID(rawValue: "nordhavn"))
        let event = try DeliveryEvent.sample(type, uuid: UUID(), store: store, at: PartnersUnderTest.start)
        let body = try WireJSON.decode(WebhookEventBody.self, from: event.body)
        #expect(body.test == true && body.type == type && body.data.store == store)
        if let status = type.status {
            #expect(body.data.status == status || body.data.courierStatus?.code == status)
        }
    }
}
