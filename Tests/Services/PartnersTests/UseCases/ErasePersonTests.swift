import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ProviderSamples
import TestSupport
import Testing

@testable import Partners

@Suite("Customers that are erased", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ErasePersonTests {
    private static func request(_ delivery: Delivery) throws -> ErasureRequest {
        let pseudonym = try #require(CustomerID(rawValue: "erased-1"))
        return ErasureRequest(
            request: UUID(), part: "", customer: delivery.customer, pseudonym: pseudonym, orders: [delivery.order],
            deliveries: [
                DeliveryChanged(
                    delivery: delivery.erased(as: pseudonym), links: [], cause: "erased",
                    changedAt: delivery.endedAt ?? delivery.placedAt)
            ], isLast: true, mayWait: true)
    }

    /// DoorDash's webhooks about a delivery that it calls `D-77`, each with a canary.
    private static var webhooks: [String] {
        ProviderLife(of: .doorDash, reference: "D-77", from: PartnersUnderTest.start).bodies.map {
            $0.replacing(/\{/, with: #"{"canary":"Canary Holm","#, maxReplacements: 1)
        }
    }

    @Test("What was sent and received about an erased customer goes, and a late report is kept without its body")
    func erased() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            var delivery = try partners.delivery()
            try await partners.learn(delivery)
            let named = try await partners.send(
                client, .put, "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: source.id)), reference: "D-77"))
            #expect(named.status == .ok)
            let webhooks = Self.webhooks
            #expect(try await partners.post(client, webhooks[0], from: .doorDash, source).status == .ok)
            _ = try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            try await partners.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("canary", on: partners.pool) == ["receipts"])

            let erase = ErasePerson(pool: partners.pool, clock: partners.clock.domain)
            let request = try Self.request(delivery)
            let receipt = try await erase(request)
            #expect(receipt.rows["receipts"] == 1 && receipt.rows["deliveries"] == 1)
            #expect(try await erase(request) == receipt)
            #expect(try await tablesWith("canary", on: partners.pool) == [])

            #expect(try await partners.post(client, webhooks[1], from: .doorDash, source).status == .ok)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
            #expect(try await partners.outbox().reports.isEmpty)
            let late = try await partners.receipts(client)
            #expect(late.map(\.state) == [.dismissed])
        }
    }

    @Test("An endpoint gets no event of an erased delivery, neither one that waited nor one of a late message")
    func events() async throws {
        try await PartnersUnderTest.run { partners, client in
            let subscribed = try await partners.send(
                client, .post, "/v1/webhooks", NewEndpointBody(url: "http://shop.example/hooks"))
            #expect(subscribed.status == .created)
            var delivery = try partners.delivery()
            try await partners.learn(delivery)
            let late = try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            let before = try await partners.pool.query("SELECT event_id FROM events")
            #expect(!before.isEmpty)
            _ = try await ErasePerson(pool: partners.pool, clock: partners.clock.domain)(Self.request(delivery))
            for table in ["events", "event_deliveries", "attempts"] {
                let rows = try await partners.pool.query("SELECT 1 FROM \(raw: table)")
                #expect(rows.isEmpty, "\(table)")
            }
            try await partners.parts.applyDeliveryChange([late])
            let after = try await partners.pool.query("SELECT event_id FROM events")
            #expect(after.isEmpty)
        }
    }
}
