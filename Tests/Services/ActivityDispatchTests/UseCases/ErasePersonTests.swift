import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Customers that are erased", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ErasePersonTests {
    private static let pseudonym = CustomerID(rawValue: "erased-1").unsafelyUnwrapped
    private static let canary = DispatchUnderTest.mira.rawValue

    private static func request(
        _ deliveries: [Delivery], mayWait: Bool = true, isLast: Bool = true, keepsCustomer: Bool = false
    ) -> ErasureRequest {
        ErasureRequest(
            request: UUID(), part: "", customer: DispatchUnderTest.mira, pseudonym: pseudonym,
            orders: deliveries.map(\.order),
            deliveries: deliveries.map {
                DeliveryChanged(
                    delivery: $0.erased(as: pseudonym), links: [], cause: "erased", changedAt: $0.endedAt ?? noon)
            }, isLast: isLast, keepsCustomer: keepsCustomer, mayWait: mayWait)
    }

    private static func erase(_ service: DispatchUnderTest) -> ErasePerson {
        ErasePerson(pool: service.pool, clock: service.clock.domain, wakeSignals: service.wakeSignals)
    }

    /// Puts a row of the delivery into each table that its card writes none to.
    private static func addRows(of delivery: DeliveryID, _ service: DispatchUnderTest) async throws {
        let (id, activity) = (delivery.rawValue, DispatchUnderTest.activity(delivery).rawValue)
        let statements: [SQL] = [
            """
            INSERT INTO alert_subscriptions (delivery_id, endpoint, p256dh, auth, locale, alerted_ids, is_on,
                subscribed_at) VALUES (\(id), 'https://push.example/mira', '', '', 'da', '[]', true, \(noon))
            """,
            """
            INSERT INTO card_health (delivery_id, sequence, cards, behind, changed_at) VALUES (\(id), 1, 1, 0, \(noon))
            ON CONFLICT DO NOTHING
            """,
            """
            INSERT INTO overrides (activity_id, verb, reason, operator, at)
            VALUES (\(activity), 'end', 'mira has called', 'ada', \(noon))
            """,
            "INSERT INTO timers (kind, key, due_at, payload) VALUES ('mira', \(id) || '/1', \(noon), 'mira')",
        ]
        for statement in statements { try await service.pool.execute(statement) }
    }

    private static func delivered() throws -> Delivery {
        var delivery = try Delivery.sample(reference: "mira-1")
        _ = try delivery.apply(.override(.cancelled, reason: "mira has called"), at: noon)
        return delivery
    }

    @Test("The card leaves its screen first, then nothing of the customer is left, and late intents bring nothing back")
    func erased() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let delivery = try Self.delivered()
            try await service.show(1, of: delivery.id)
            try await service.reconcile()
            try await service.end(delivery.version, of: delivery.id)
            try await service.reconcile()
            let ended = try #require(try await service.events()?.last)
            #expect(ended.event == .end)
            try await Self.addRows(of: delivery.id, service)
            let ofDelivery = try await tablesWith(column: "delivery_id", on: service.pool)
            #expect(ofDelivery.isSubset(of: try await tablesWith(delivery.id.rawValue, on: service.pool)))

            let erase = Self.erase(service)
            let request = Self.request([delivery])
            #expect(try await erase(request).isWaiting)
            try await service.reconcile()
            let removed = try #require(try await service.events(after: ended.id)?.last)
            #expect(removed.event == .end)
            let receipt = try await erase(request)
            #expect(!receipt.isWaiting)
            #expect(receipt.rows["devices"] == 1 && receipt.rows["cards"] == 1 && receipt.rows["pushes"] ?? 0 >= 2)
            try await service.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith(Self.canary, on: service.pool) == [])
            #expect(try await tablesWith(delivery.id.rawValue, on: service.pool) == ["activities"])

            try await service.show(1, of: delivery.id)
            try await service.show(delivery.version + 1, of: delivery.id)
            try await service.end(delivery.version, of: delivery.id)
            #expect(try await tablesWith(Self.canary, on: service.pool) == [])
        }
    }

    @Test("A delivery whose end has not arrived is waited for, and erased without it once the time is over")
    func unknownEnd() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let delivery = try Self.delivered()
            try await service.show(1, of: delivery.id)
            try await service.reconcile()
            #expect(try await Self.erase(service)(Self.request([delivery])).isWaiting)
            #expect(try await tablesWith(Self.canary, on: service.pool) != [])
            #expect(try await !Self.erase(service)(Self.request([delivery], mayWait: false)).isWaiting)
            try await service.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith(Self.canary, on: service.pool) == [])
        }
    }

    @Test("Summaries go with the last part, and a customer with another live delivery keeps their device")
    func summaries() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let deliveries = try (0..<3).map { _ in try Self.delivered() }
            for delivery in deliveries { try await service.show(1, of: delivery.id) }
            try await service.reconcile()
            let newer = try Self.delivered()
            try await service.show(1, of: newer.id)
            for delivery in deliveries { try await service.end(delivery.version, of: delivery.id) }
            try await service.reconcile()
            _ = try await Self.erase(service)(Self.request(deliveries, mayWait: false))
            let activities = try await service.pool.query(
                "SELECT activity_id FROM activities WHERE customer_id = \(Self.canary)"
            ).map { try $0.decode("activity_id", as: String.self) }
            #expect(activities == [DispatchUnderTest.activity(newer.id).rawValue])
            let devices = try await service.pool.query("SELECT device_id FROM devices")
            #expect(devices.count == 1)
        }
    }

    @Test("A late intent about an episode before the last brings nothing back")
    func episodes() async throws {
        try await DispatchUnderTest.run { service in
            var delivery = try Self.delivered()
            _ = try delivery.apply(.override(.accepted, reason: "a test"), at: noon)
            _ = try delivery.apply(.override(.cancelled, reason: "a test"), at: noon)
            try #require(delivery.episode == 2)
            _ = try await Self.erase(service)(Self.request([delivery]))
            try await service.show(1, of: delivery.id)
            try await service.end(delivery.version, of: delivery.id)
            #expect(try await tablesWith(Self.canary, on: service.pool) == [])
        }
    }

    @Test("A customer with an order since keeps their device, and what it has shown of it", arguments: [true, false])
    func placedSince(isKnown: Bool) async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let (delivery, newer) = (try Self.delivered(), try Self.delivered())
            if isKnown {
                try await service.show(1, of: newer.id)
                try await service.end(newer.version, of: newer.id)
            }
            let timer = DurableTimer(kind: WantedStateFanOut.summaryTimer, key: Self.canary, dueAt: noon)
            try await service.pool.withTransaction { try await $0.schedule(timer) }
            _ = try await Self.erase(service)(Self.request([delivery], mayWait: false, keepsCustomer: true))
            #expect(try await service.pool.query("SELECT FROM timers WHERE key = \(Self.canary)").count == 1)
            let devices = try await service.pool.query("SELECT device_id FROM devices")
            #expect(devices.count == 1)
            let kept = try await service.pool.query(
                "SELECT FROM activities WHERE customer_id = \(Self.canary) AND delivery_id = \(newer.id.rawValue)")
            #expect(kept.count == (isKnown ? 1 : 0))
        }
    }

    @Test("A card leaves the screen of a device that is another customer's since")
    func sharedDevice() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let delivery = try Self.delivered()
            try await service.show(1, of: delivery.id)
            try await service.reconcile()
            try await service.end(delivery.version, of: delivery.id)
            try await service.register(for: DispatchUnderTest.noor)
            let request = Self.request([delivery])
            #expect(try await Self.erase(service)(request).isWaiting)
            try await service.reconcile()
            #expect(try await !Self.erase(service)(request).isWaiting)
            let devices = try await service.pool.query("SELECT device_id FROM devices")
            #expect(devices.count == 1)
        }
    }
}
