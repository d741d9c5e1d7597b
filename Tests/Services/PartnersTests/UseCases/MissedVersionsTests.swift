import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing
import WireCoding

@testable import Partners

@Suite("Versions whose messages were lost", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct MissedVersionsTests {
    /// The messages of status changes that are made a minute after one another.
    private func messages(
        of codes: [StatusCode], to delivery: inout Delivery, _ partners: PartnersUnderTest
    ) throws -> [DeliveryChanged] {
        try codes.map { code in
            let before = delivery.status
            partners.clock.advance(by: 60)
            _ = try delivery.apply(.status(code, reason: nil), at: partners.clock.now)
            return DeliveryChanged(
                delivery: delivery, links: [], cause: "status", changedAt: partners.clock.now,
                reached: delivery.status.codesReached(from: before))
        }
    }

    /// The events on their way to endpoints, in the order in which they were queued.
    private func events(_ partners: PartnersUnderTest, to url: String = "http://shop.example/hooks") async throws
        -> [String]
    {
        try await partners.pool.query(
            """
            SELECT events.version, events.type FROM event_deliveries JOIN events USING (event_id)
            JOIN endpoints USING (endpoint_id) WHERE url = \(url) ORDER BY event_delivery_id
            """
        ).map { "\(try $0.decode("version", as: Int.self)) \(try $0.decode("type", as: String.self))" }
    }

    private static let all = [
        "1 delivery.placed", "2 delivery.accepted", "3 delivery.picking", "4 delivery.staged",
    ]

    @Test("They are asked for when the newest is republished, and each is told of once and in order")
    func republished() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            let lost = try messages(of: [.accepted, .picking, .staged], to: &delivery, partners)
            partners.orders.keep(lost)
            partners.clock.advance(by: 600)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(try await events(partners) == Self.all)
            // Nor do those that come after all, or again, change that.
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            try await partners.parts.applyDeliveryChange(lost.reversed())
            #expect(try await events(partners) == Self.all)
            #expect(partners.orders.asked.map(\.versions) == [2...4])
            while try await partners.parts.sender.sendDue() > 0 {}
            let bodies = try partners.receivers.posted.map { try WireJSON.decode(WebhookEventBody.self, from: $0.body) }
            for message in lost {
                let body = try #require(bodies.first { $0.data.version == message.delivery.version })
                #expect(body.data == .init(message.delivery) && body.timestamp == message.changedAt)
            }
        }
    }

    @Test("They are asked for when a message shows that some are missing before it, and of a delivery not heard of too")
    func gap() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try partners.delivery()
            let placed = DeliveryChanged(
                delivery: delivery, links: [], cause: "placed", changedAt: partners.clock.now)
            let changes = try messages(of: [.accepted, .picking, .staged], to: &delivery, partners)
            partners.orders.keep([placed] + changes.dropLast())
            try await partners.parts.applyDeliveryChange([changes[2]])
            #expect(try await events(partners) == Self.all)
            #expect(partners.orders.asked.map(\.versions) == [1...3])
        }
    }

    @Test("Versions whose events a receiver may have had and forgotten make none, where the delivery's row has expired")
    func forgotten() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try partners.delivery()
            let placed = DeliveryChanged(
                delivery: delivery, links: [], cause: "placed", changedAt: partners.clock.now)
            partners.orders.keep([placed] + (try messages(of: [.accepted, .picking], to: &delivery, partners)))
            partners.clock.advance(by: Double(RetentionTimes().eventsDays) * 86_400)
            let newest = try messages(of: [.staged], to: &delivery, partners)
            try await partners.parts.applyDeliveryChange(newest)
            #expect(try await events(partners) == ["4 delivery.staged"])
        }
    }

    @Test("An answer that was cut is asked for again from where it ends")
    func cut() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            partners.orders.keep(try messages(of: [.accepted, .picking, .staged], to: &delivery, partners))
            partners.orders.cut(after: 2)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(try await events(partners) == Self.all)
            #expect(partners.orders.asked.map(\.versions) == [2...4, 4...4])
        }
    }

    @Test("While orders is away they wait, other deliveries do not, and the message that comes again has them told")
    func away() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var (lacking, whole) = (try partners.delivery(), try partners.delivery())
            try await partners.learn(lacking)
            try await partners.learn(whole)
            let lost = try messages(of: [.accepted, .picking], to: &lacking, partners)
            let next = try messages(of: [.accepted], to: &whole, partners)
            partners.orders.keep(lost)
            partners.orders.setAway(true)
            for _ in 0..<2 {
                await #expect(throws: VersionsByTest.Away.self) {
                    try await partners.parts.applyDeliveryChange([lost[1]] + next)
                }
                #expect(
                    try await events(partners).sorted() == [
                        "1 delivery.placed", "1 delivery.placed", "2 delivery.accepted",
                    ])
            }
            partners.orders.setAway(false)
            try await partners.parts.applyDeliveryChange([lost[1]] + next)
            #expect(
                try await events(partners).suffix(2) == ["2 delivery.accepted", "3 delivery.picking"])
            #expect(try await events(partners).count == 5)
        }
    }

    @Test("Whoever subscribed in between is told of what happened after that, and of the types that they take")
    func subscriptions() async throws {
        try await PartnersUnderTest.run { partners, client in
            let staged = WebhookEventType(reached: .staged)
            try await partners.addEndpoint(client, events: [WebhookEventType(reached: .accepted), staged])
            var delivery = try await partners.learnDelivery()
            var lost = try messages(of: [.accepted, .picking], to: &delivery, partners)
            partners.clock.advance(by: 60)
            try await partners.addEndpoint(client, url: "http://late.example/")
            lost += try messages(of: [.staged], to: &delivery, partners)
            partners.orders.keep(lost)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(try await events(partners) == ["2 delivery.accepted", "4 delivery.staged"])
            #expect(try await events(partners, to: "http://late.example/") == ["4 delivery.staged"])
        }
    }

    @Test("Nothing is asked about what nobody subscribes to, nor while no version is missing")
    func nothingToAsk() async throws {
        try await PartnersUnderTest.run { partners, client in
            var delivery = try await partners.learnDelivery()
            _ = try messages(of: [.accepted, .picking], to: &delivery, partners)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            try await partners.addEndpoint(client)
            var other = try await partners.learnDelivery()
            try await partners.parts.applyDeliveryChange(
                messages(of: [.accepted, .picking], to: &other, partners).reversed())
            #expect(partners.orders.asked.isEmpty)
        }
    }

    @Test("What orders has no more is left out, and the newest version is told of as it is")
    func gone() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            partners.orders.keep(Array(try messages(of: [.accepted, .picking], to: &delivery, partners).suffix(1)))
            _ = try messages(of: [.staged], to: &delivery, partners)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(
                try await events(partners) == ["1 delivery.placed", "3 delivery.picking", "4 delivery.staged"])
        }
    }
}
