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
import TestSupport
import Testing
import WebhookSender
import WireCoding

@testable import Partners

@Suite("Couriers that are erased", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EraseCourierTests {
    /// The courier of the provider's webhooks.
    private static let canary = Courier(
        id: CourierID(rawValue: "cloud-events-canary").unsafelyUnwrapped, name: "Canary Holm", vehicle: .car,
        phone: "+4599887766")
    private static let noah = Courier(
        id: CourierID(rawValue: "noah").unsafelyUnwrapped, name: "Noah", vehicle: .car, phone: "+4511223344")

    private static func erase(
        _ delivery: Delivery, _ courier: Courier, _ partners: PartnersUnderTest
    ) async throws -> ErasureReceipt {
        let erased = ErasedCourier(
            id: courier.id, pseudonym: CourierID(pseudonym: UUID()), names: [courier.name],
            phones: [courier.phone].compactMap(\.self))
        return try await EraseCourier(
            pool: partners.pool, clock: partners.clock.domain,
            applyDeliveryChange: partners.parts.applyDeliveryChange)(
                CourierErasureRequest(
                    request: UUID(), part: "", courier: erased,
                    deliveries: [
                        DeliveryChanged(
                            delivery: delivery.without(erased), links: [], cause: "erased",
                            changedAt: delivery.endedAt ?? delivery.placedAt)
                    ], requestedAt: partners.clock.domain.now, isLast: true, keepsCourier: false, mayWait: true))
    }

    @Test("Events keep everything but the courier, a late message makes none, and a late answer is not stored")
    func events() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            try await partners.change(&delivery, .courier(Self.canary, stopsBefore: nil))
            try await partners.change(&delivery, .override(.pickedUp, reason: "a test"))
            let late = try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            try await partners.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("canary", on: partners.pool) == ["events"])
            let id = delivery.id.rawValue
            func bodies() async throws -> [WebhookEventBody] {
                try await partners.pool.query(
                    "SELECT body FROM events WHERE delivery_id = \(id) ORDER BY version, event_id"
                ).map { try WireJSON.decode(WebhookEventBody.self, from: Data($0.decode("body", as: [UInt8].self))) }
            }
            var others = try await partners.learnDelivery()
            try await partners.change(&others, .courier(Self.noah, stopsBefore: nil))
            try await partners.pool.execute("DELETE FROM outbox")
            let ofOthers = try await rowsWith(others.id.rawValue, in: ["events", "deliveries"], on: partners.pool)
            #expect(ofOthers.count > 2)
            let before = try await bodies()
            partners.receivers.answer { posted in
                .answered(status: 200, excerpt: String(decoding: posted.body, as: UTF8.self), retryAfter: nil)
            }
            partners.receivers.hold()
            async let sending = partners.parts.sender.sendDue()
            try await partners.receivers.waitUntilPosted(1)
            let receipt = try await Self.erase(delivery, Self.canary, partners)
            partners.receivers.release()
            #expect(try await sending > 0)
            #expect(receipt.rows["events"] ?? 0 > 1)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
            let after = try await bodies()
            #expect(after.map(\.type) == before.map(\.type) && after.map(\.data.items) == before.map(\.data.items))
            #expect(after.map(\.data.customer) == before.map(\.data.customer))
            #expect(after.compactMap(\.data.courier).allSatisfy { $0.id.isPseudonym })
            try await partners.parts.applyDeliveryChange([late])
            #expect(try await tablesWith("canary", on: partners.pool) == [])
            #expect(try await bodies().count == after.count)
            #expect(
                try await rowsWith(others.id.rawValue, in: ["events", "deliveries"], on: partners.pool) == ofOthers)
        }
    }

    @Test("Versions that have not arrived are asked for, so that the shop gets their events, without the courier")
    func behind() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            var late: [DeliveryChanged] = []
            let changes: [DeliveryChange] = [
                .courier(Self.canary, stopsBefore: nil), .override(.pickedUp, reason: "a test"),
                .override(.delivered, reason: "a test"),
            ]
            for change in changes {
                let before = delivery.status
                _ = try delivery.apply(change, at: partners.clock.domain.now)
                late.append(
                    DeliveryChanged(
                        delivery: delivery, links: [], cause: "status", changedAt: partners.clock.domain.now,
                        reached: delivery.status.codesReached(from: before)))
            }
            partners.orders.setAway(true)
            await #expect(throws: VersionsByTest.Away.self) {
                try await Self.erase(delivery, Self.canary, partners)
            }
            // What orders has of them by then.
            let erased = ErasedCourier(
                id: Self.canary.id, pseudonym: CourierID(pseudonym: UUID()), names: [Self.canary.name],
                phones: ["+4599887766"])
            partners.orders.setAway(false)
            partners.orders.keep(
                late.map {
                    DeliveryChanged(
                        delivery: $0.delivery.replacing(erased), links: [], cause: $0.cause, changedAt: $0.changedAt,
                        reached: $0.reached)
                } + [
                    DeliveryChanged(
                        delivery: delivery.without(erased), links: [], cause: "erased",
                        changedAt: partners.clock.domain.now)
                ])
            #expect(try await !Self.erase(delivery, Self.canary, partners).isWaiting)
            func types() async throws -> [WebhookEventType] {
                try await partners.pool.query("SELECT body FROM events ORDER BY version, event_id").map {
                    try WireJSON.decode(WebhookEventBody.self, from: Data($0.decode("body", as: [UInt8].self))).type
                }
            }
            let made = try await types()
            #expect(made.contains(WebhookEventType(reached: .delivered)))
            try await partners.parts.applyDeliveryChange(late)
            #expect(try await types() == made)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
        }
    }

    @Test("Receipts keep their reports without the courier, and a late report is kept without its body")
    func receipts() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            var delivery = try await partners.learnDelivery()
            let bodies = ProviderLife(
                of: .cloudEvents, reference: delivery.id.rawValue, from: PartnersUnderTest.start
            ).bodies.map { $0.replacing(#""id":"sam","name":"Sam""#, with: #""id":"canary","name":"Canary Holm""#) }
            let naming = bodies.filter { $0.contains("Canary Holm") }
            #expect(naming.count > 1)
            #expect(try await partners.post(client, naming[0], from: .cloudEvents, source).status == .ok)
            let report = try #require(try await partners.outbox().reports.first?.report)
            let courier = try #require(report.courier)
            try await partners.change(&delivery, .courier(courier, stopsBefore: nil))
            try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            try await partners.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("canary", on: partners.pool) == ["receipts"])

            let receipt = try await Self.erase(delivery, courier, partners)
            #expect(receipt.rows["receipts"] ?? 0 > 0)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
            #expect(try await partners.receipts(client).count == 1)

            #expect(try await partners.post(client, naming[1], from: .cloudEvents, source).status == .ok)
            // The message that is on its way to `orders`, which leaves the courier out.
            try await partners.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("canary", on: partners.pool) == [])
            #expect(try await partners.receipts(client).map(\.state) == [.applied, .applied])
        }
    }

    @Test("Versions of a live delivery with a former courier, which come late, bring the courier not back")
    func live() async throws {
        try await PartnersUnderTest.run { partners, client in
            try await partners.addEndpoint(client)
            var delivery = try await partners.learnDelivery()
            var late: [DeliveryChanged] = []
            for courier in [Self.canary, Self.noah] {
                let before = delivery.status
                _ = try delivery.apply(.courier(courier, stopsBefore: nil), at: partners.clock.domain.now)
                late.append(
                    DeliveryChanged(
                        delivery: delivery, links: [], cause: "status", changedAt: partners.clock.domain.now,
                        reached: delivery.status.codesReached(from: before)))
            }
            let erased = ErasedCourier(
                id: Self.canary.id, pseudonym: CourierID(pseudonym: UUID()), names: [Self.canary.name],
                phones: ["+4599887766"])
            partners.orders.keep(
                late.map {
                    DeliveryChanged(
                        delivery: $0.delivery.replacing(erased), links: [], cause: $0.cause, changedAt: $0.changedAt,
                        reached: $0.reached)
                })
            #expect(try await !Self.erase(delivery, Self.canary, partners).isWaiting)
            func events() async throws -> [String] {
                try await partners.pool.query("SELECT event_id FROM events ORDER BY 1").map {
                    try $0.decode("event_id", as: String.self)
                }
            }
            let made = try await events()
            #expect(made.count > 1)
            try await partners.parts.applyDeliveryChange(late)
            #expect(try await events() == made)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
            try await partners.change(&delivery, .override(.pickedUp, reason: "a test"))
            #expect(try await events().count > made.count)
        }
    }

    /// A provider's first webhook that names a courier, with another name.
    private static func naming(_ name: String, _ delivery: Delivery) throws -> [String] {
        let bodies = ProviderLife(
            of: .cloudEvents, reference: delivery.id.rawValue, from: PartnersUnderTest.start
        ).bodies.map { $0.replacing(#""id":"sam","name":"Sam""#, with: "\"id\":\"canary\",\"name\":\"\(name)\"") }
        let naming = bodies.filter { $0.contains(name) }
        try #require(naming.count > 1)
        return naming
    }

    @Test("A webhook stays whose words only begin with the courier's name, and goes where it has the name")
    func shortName() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            var delivery = try await partners.learnDelivery()
            let body = try Self.naming(#"Alma \u00d8st"#, delivery)[0]
            #expect(try await partners.post(client, body, from: .cloudEvents, source).status == .ok)
            try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            func bodies() async throws -> Int {
                try await partners.pool.query("SELECT FROM receipts WHERE body IS NOT NULL").count
            }
            let id = try #require(CourierID(rawValue: "al"))
            _ = try await Self.erase(delivery, Courier(id: id, name: "Al", vehicle: .car, phone: nil), partners)
            #expect(try await bodies() == 1)
            _ = try await Self.erase(delivery, Courier(id: id, name: "Alma Øst", vehicle: .car, phone: nil), partners)
            #expect(try await bodies() == 0)
        }
    }

    @Test("A late report of a delivery that was live at the erasure is kept without its body and its courier")
    func lateReport() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .cloudEvents)
            var delivery = try await partners.learnDelivery()
            for courier in [Self.canary, Self.noah] {
                try await partners.change(&delivery, .courier(courier, stopsBefore: nil))
            }
            _ = try await Self.erase(delivery, Self.canary, partners)
            try await partners.change(&delivery, .override(.delivered, reason: "a test"))
            let body = try Self.naming(Self.canary.name, delivery)[0]
            #expect(try await partners.post(client, body, from: .cloudEvents, source).status == .ok)
            // The message that is on its way to `orders`.
            try await partners.pool.execute("DELETE FROM outbox")
            #expect(try await partners.receipts(client).count == 1)
            #expect(try await tablesWith("canary", on: partners.pool) == [])
        }
    }
}
