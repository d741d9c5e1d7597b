import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ProviderSamples
import ReliableMessaging
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
            var delivery = try await partners.learnDelivery()
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

    @Test("Of an erased delivery no event is left: none that waited, that was being sent, or of a late message")
    func events() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            let late = try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            let before = try await partners.pool.query("SELECT event_id FROM events")
            #expect(!before.isEmpty)
            partners.receivers.hold()
            async let sending = partners.parts.sender.sendDue()
            try await partners.receivers.waitUntilPosted(1)
            _ = try await ErasePerson(pool: partners.pool, clock: partners.clock.domain)(Self.request(delivery))
            partners.receivers.release()
            #expect(try await sending > 0)
            for table in ["events", "event_deliveries", "attempts"] {
                let rows = try await partners.pool.query("SELECT 1 FROM \(raw: table)")
                #expect(rows.isEmpty, "\(table)")
            }
            try await partners.parts.applyDeliveryChange([late])
            let after = try await partners.pool.query("SELECT event_id FROM events")
            #expect(after.isEmpty)
        }
    }

    // MARK: Webhooks about several customers' deliveries

    /// A batch of events, each of a delivery, with a canary.
    private static func batch(_ events: [(of: String, number: Int)]) -> String {
        let bodies = events.map { event in
            ProviderLife(of: .cloudEvents, reference: event.of, from: PartnersUnderTest.start).bodies[event.number]
                .replacing(/"data":\{/, with: #""data":{"canary":"Canary Holm","#, maxReplacements: 1)
        }
        return "[\(bodies.joined(separator: ","))]"
    }

    private static func post(
        _ events: [(of: String, number: Int)], _ source: (id: String, secret: String), _ partners: PartnersUnderTest,
        _ client: any TestClientProtocol
    ) async throws {
        let answer = try await partners.post(
            client, batch(events), from: .cloudEvents, source,
            headers: ["content-type": "application/cloudevents-batch+json"])
        #expect(answer.status == .ok, "\(String(buffer: answer.body))")
    }

    /// A delivery that ended, which the service knows.
    private static func ended(_ partners: PartnersUnderTest) async throws -> Delivery {
        var delivery = try await partners.learnDelivery()
        try await partners.change(&delivery, .override(.delivered, reason: "a test"))
        return delivery
    }

    private static func erase(_ delivery: Delivery, _ partners: PartnersUnderTest) async throws {
        _ = try await ErasePerson(pool: partners.pool, clock: partners.clock.domain)(request(delivery))
        try await partners.pool.execute("DELETE FROM outbox")
    }

    /// The deliveries that reports are kept of.
    private static func reported(_ partners: PartnersUnderTest) async throws -> [String] {
        try await partners.pool.query(
            "SELECT coalesce(delivery_id, delivery_names[1]) AS of FROM receipts WHERE report IS NOT NULL ORDER BY 1"
        ).map { try $0.decode("of", as: String.self) }
    }

    @Test("Another customer's report in the same webhook stays, without the webhook's body", arguments: [true, false])
    func batched(isFirst: Bool) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let (own, other) = (try await Self.ended(partners), try await Self.ended(partners))
            let events = [(of: own.id.rawValue, number: 9), (of: other.id.rawValue, number: 9)]
            try await Self.post(isFirst ? events : events.reversed(), source, partners, client)
            try await Self.erase(own, partners)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
            #expect(try await Self.reported(partners) == [other.id.rawValue])
        }
    }

    @Test("A report that waits for its delivery stays where its webhook mentions an erased one too")
    func batchedWaiting() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let own = try await Self.ended(partners)
            try await Self.post([(of: "R-1", number: 0), (of: own.id.rawValue, number: 9)], source, partners, client)
            try await Self.post([(of: "R-2-\(own.order)", number: 0)], source, partners, client)
            try await Self.erase(own, partners)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
            #expect(try await partners.receipts(client).map(\.state) == [.waiting, .waiting])
            #expect(try await Self.reported(partners) == ["R-1", "R-2-\(own.order)"])
        }
    }

    @Test("A late webhook with a report of an erased delivery has no body, whatever in it is a repeat")
    func lateBatch() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let (own, other) = (try await Self.ended(partners), try await Self.ended(partners))
            let (ownID, otherID) = (own.id.rawValue, other.id.rawValue)
            try await Self.post([(of: otherID, number: 0)], source, partners, client)
            try await partners.pool.execute("UPDATE receipts SET body = NULL")
            try await Self.erase(own, partners)
            try await Self.post(
                [(of: otherID, number: 0), (of: otherID, number: 1), (of: ownID, number: 9)], source, partners, client)
            #expect(try await tablesWith("canary", on: partners.pool).filter { $0 != "outbox" } == [])
            try await Self.post([(of: ownID, number: 9), (of: otherID, number: 2)], source, partners, client)
            #expect(try await tablesWith("canary", on: partners.pool).filter { $0 != "outbox" } == [])
            #expect(try await Self.reported(partners) == [otherID, otherID, otherID])
        }
    }

    @Test("A name is of one source: what another source calls the same stays")
    func otherSource() async throws {
        try await PartnersUnderTest.run { partners, client in
            let (named, other) = (
                try await partners.addSource(client, .doorDash), try await partners.addSource(client, .uber)
            )
            let own = try await Self.ended(partners)
            let answer = try await partners.send(
                client, .put, "/v1/deliveries/\(own.id)/provider",
                ProviderReferenceBody(source: try #require(SourceID(rawValue: named.id)), reference: "D-77"))
            #expect(answer.status == .ok)
            let webhook = ProviderLife(of: .uber, reference: "D-77", from: PartnersUnderTest.start).bodies[0]
            #expect(try await partners.post(client, webhook, from: .uber, other).status == .ok)
            try await Self.erase(own, partners)
            #expect(try await Self.reported(partners) == ["D-77"])
        }
    }

    @Test(
        "A report that was stored while its delivery was erased is not applied, and goes soon",
        arguments: [true, false])
    func concurrent(isApplied: Bool) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            let own = try await Self.ended(partners)
            try await Self.erase(own, partners)
            let id = own.id.rawValue
            try await partners.pool.execute(
                """
                INSERT INTO receipts (receipt_id, source_id, event_key, kind, delivery_names, state, is_known,
                    delivery_id, received_at, body)
                VALUES (gen_random_uuid(), \(source.id), 'late', 'late', ARRAY[\(id)],
                    CASE WHEN \(isApplied) THEN 'applied' ELSE 'waiting' END, true,
                    CASE WHEN \(isApplied) THEN \(id) END, \(PartnersUnderTest.start), convert_to('canary', 'UTF8'))
                """)
            let waiting = ApplyWaiting(pool: partners.pool, outbox: UnreadOutbox())
            try await waiting(for: [own.id])
            let states = try await partners.pool.query("SELECT state FROM receipts WHERE event_key = 'late'")
                .map { try $0.decode("state", as: String.self) }
            #expect(states == [isApplied ? "applied" : "waiting"])
            try await Retention(pool: partners.pool, clock: partners.clock.domain, logger: .silent)
                .delete(at: partners.clock.domain.now)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
        }
    }
}
