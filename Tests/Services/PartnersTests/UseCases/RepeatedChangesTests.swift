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

@testable import Partners

@Suite(
    "Changes that come again, late or twice at once", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct RepeatedChangesTests {
    /// The messages of changes that are made one after another.
    private func messages(
        of changes: [DeliveryChange], to delivery: inout Delivery, _ partners: PartnersUnderTest
    ) throws -> [DeliveryChanged] {
        var messages: [DeliveryChanged] = []
        for change in changes {
            let before = delivery.status
            _ = try delivery.apply(change, at: partners.clock.now)
            messages.append(
                DeliveryChanged(
                    delivery: delivery, links: [], cause: "status", changedAt: partners.clock.now,
                    reached: delivery.status.codesReached(from: before)))
        }
        return messages
    }

    private func message(_ cause: String, of delivery: Delivery, _ partners: PartnersUnderTest) -> DeliveryChanged {
        DeliveryChanged(delivery: delivery, links: [], cause: cause, changedAt: partners.clock.now)
    }

    /// Every event with its version, as `2 delivery.accepted`.
    ///
    /// - Parameter endpoint: the only one whose events are wanted; nil for all.
    private func events(_ partners: PartnersUnderTest, of endpoint: EndpointID? = nil) async throws -> [String] {
        let rows = try await partners.pool.query(
            """
            SELECT version, type FROM events
            WHERE \(endpoint == nil) OR event_id IN
                (SELECT event_id FROM event_deliveries WHERE endpoint_id = \(endpoint?.rawValue))
            ORDER BY version, type
            """)
        return try rows.map { row in
            let (version, type) = (try row.decode("version", as: Int.self), try row.decode("type", as: String.self))
            return "\(version) \(type)"
        }
    }

    @Test("What is republished of a delivery that was not known stands for the originals that come later")
    func unknownDelivery() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try partners.delivery()
            let placed = message("placed", of: delivery, partners)
            let later = try messages(
                of: [.status(.accepted, reason: nil), .hold(reason: "rain")], to: &delivery, partners)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            for original in ([placed] + later).reversed() { try await partners.parts.applyDeliveryChange([original]) }
            #expect(try await events(partners) == ["3 delivery.accepted"])
            try await partners.change(&delivery, .release)
            #expect(try await events(partners) == ["3 delivery.accepted", "4 delivery.changed"])
        }
    }

    @Test("What happened after somebody subscribed is sent, though a republished version that was not sent came first")
    func unsentRepublished() async throws {
        try await PartnersUnderTest.run { partners, client in
            var delivery = try partners.delivery()
            partners.clock.advance(by: 60)
            try await partners.addEndpoint(client)
            partners.clock.advance(by: 60)
            let held = try messages(of: [.hold(reason: "rain")], to: &delivery, partners)
            // Its status is older than the subscription.
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(try await events(partners).isEmpty)
            try await partners.parts.applyDeliveryChange(held)
            #expect(try await events(partners) == ["2 delivery.changed"])
        }
    }

    @Test("Whoever takes none of what a republished version tells is sent what its late originals tell")
    func otherTypes() async throws {
        try await PartnersUnderTest.run { partners, client in
            let all = try await partners.addEndpoint(client).id
            let some = try await partners.addEndpoint(
                client, events: [try #require(WebhookEventType(rawValue: "delivery.accepted"))]
            ).id
            var delivery = try partners.delivery()
            let originals = try messages(
                of: [.status(.accepted, reason: nil), .status(.picking, reason: nil)], to: &delivery, partners)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(try await events(partners, of: some).isEmpty)
            try await partners.parts.applyDeliveryChange(originals.reversed())
            #expect(try await events(partners, of: some) == ["2 delivery.accepted"])
            #expect(try await events(partners, of: all) == ["2 delivery.accepted", "3 delivery.picking"])
        }
    }

    @Test("Whoever subscribed after the status of a republished version is sent what its late original tells")
    func laterSubscription() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try partners.delivery()
            partners.clock.advance(by: 60)
            let later = try await partners.addEndpoint(client).id
            partners.clock.advance(by: 60)
            let held = try messages(of: [.hold(reason: "rain")], to: &delivery, partners)
            try await partners.learn(delivery, cause: DeliveryEvent.republished)
            #expect(try await events(partners, of: later).isEmpty)
            try await partners.parts.applyDeliveryChange(held)
            #expect(try await events(partners, of: later) == ["2 delivery.changed"])
        }
    }

    @Test("Whoever subscribes is sent no status of before, though others had the delivery's events once")
    func subscribedAnew() async throws {
        try await PartnersUnderTest.run { partners, client in
            let former = try await partners.addEndpoint(client).id
            var delivery = try await partners.learnDelivery()
            #expect(try await partners.send(client, .delete, "/v1/webhooks/\(former)").status == .noContent)
            let unfollowed = try messages(of: [.status(.accepted, reason: nil)], to: &delivery, partners)
            // Replicas, since this one goes by the former subscription for a moment.
            try await partners.replica().applyDeliveryChange(unfollowed)
            partners.clock.advance(by: 60)
            let present = try await partners.addEndpoint(client).id
            try await partners.replica().applyDeliveryChange([
                message(DeliveryEvent.republished, of: delivery, partners)
            ])
            #expect(try await events(partners, of: present).isEmpty)
        }
    }

    @Test("Of two versions that are republished in turn the second stands for what the first stood for too")
    func republishedTwice() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            var originals: [DeliveryChanged] = []
            for codes in [[StatusCode.accepted, .picking], [.staged]] {
                originals += try messages(
                    of: codes.map { DeliveryChange.status($0, reason: nil) }, to: &delivery, partners)
                try await partners.learn(delivery, cause: DeliveryEvent.republished)
            }
            try await partners.parts.applyDeliveryChange(originals)
            #expect(
                try await events(partners) == ["1 delivery.placed", "3 delivery.picking", "4 delivery.staged"])
        }
    }

    @Test(
        "Originals and what is republished of them, taken in at once by two processes, give a status once",
        arguments: [true, false])
    func atOnce(isKnown: Bool) async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try partners.delivery()
            if isKnown { try await partners.learn(delivery) }
            let originals = try messages(
                of: [.status(.accepted, reason: nil), .hold(reason: "rain")], to: &delivery, partners)
            let republished = message(DeliveryEvent.republished, of: delivery, partners)
            try await partners.block(
                [
                    { try await partners.parts.applyDeliveryChange(originals) },
                    { try await partners.parts.applyDeliveryChange([republished]) },
                ], at: "deliveries", in: "EXCLUSIVE")
            let accepted = try await events(partners).filter { $0.hasSuffix(" delivery.accepted") }
            #expect(accepted.count == 1, "\(accepted)")
        }
    }

    @Test("A message that two processes take in at once, the first of its delivery, is queued once")
    func firstAtOnce() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            let placed = message("placed", of: try partners.delivery(), partners)
            let applying: @Sendable () async throws -> Void = {
                try await partners.parts.applyDeliveryChange([placed])
            }
            try await partners.block([applying, applying], at: "deliveries", in: "EXCLUSIVE")
            #expect(try await events(partners) == ["1 delivery.placed"])
            #expect(try await partners.pool.query("SELECT event_id FROM event_deliveries").count == 1)
        }
    }
}
