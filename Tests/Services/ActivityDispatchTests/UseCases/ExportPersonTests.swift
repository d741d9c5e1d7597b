import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Customers that are exported", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ExportPersonTests {
    private static func request(
        _ deliveries: [DeliveryID], store: StoreID? = nil, isLast: Bool = true
    ) -> ExportRequest {
        ExportRequest(
            request: UUID(), person: .customer(DispatchUnderTest.mira), store: store,
            deliveries: deliveries.map { ExportRequest.Part(delivery: $0, episode: 1) }, isLast: isLast, cursor: nil)
    }

    private static func export(_ service: DispatchUnderTest) -> ExportPerson {
        ExportPerson(ExportRecords.sources(on: service.pool))
    }

    private static func addRows(of delivery: DeliveryID, _ service: DispatchUnderTest) async throws {
        let (id, activity) = (delivery.rawValue, DispatchUnderTest.activity(delivery).rawValue)
        let statements: [SQL] = [
            """
            INSERT INTO alert_subscriptions (delivery_id, endpoint, p256dh, auth, locale, alerted_ids, is_on,
                subscribed_at) VALUES (\(id), 'https://push.example/secret', 'secret', 'secret', 'da', '["alert-1"]',
                true, \(noon))
            """,
            """
            INSERT INTO overrides (activity_id, verb, reason, operator, at)
            VALUES (\(activity), 'end', 'mira has called', 'ottilie', \(noon))
            """,
            "UPDATE devices SET push_to_start_token = 'secret', secret_hash = 'secret', bundle_id = 'example.app'",
            "UPDATE cards SET update_token = 'secret'",
        ]
        for statement in statements { try await service.pool.execute(statement) }
    }

    @Test("An archive has devices, cards and what they showed, without tokens, and nothing of another customer")
    func exported() async throws {
        try await DispatchUnderTest.run { service in
            let other = try #require(CustomerID(rawValue: "ole"))
            let othersPhone = try #require(DeviceID(rawValue: "oles-phone"))
            let (delivery, others) = (DeliveryID(UUID()), DeliveryID(UUID()))
            try await service.register()
            try await service.register(othersPhone, for: other)
            try await service.show(1, of: delivery, alert: "alert-1")
            try await service.show(1, of: others, for: other)
            try await service.reconcile()
            try await Self.addRows(of: delivery, service)

            let records = try await exportedRecords(Self.request([delivery]), by: Self.export(service))
            #expect(records.mapValues(\.count) == [.devices: 1, .cards: 1, .pushes: 1, .alerts: 1, .overrides: 1])
            #expect(try await ArchiveChecker.faults(of: records) == [])
            let text = records.values.joined().joined()
            for secret in ["secret", "ole", "ottilie", others.rawValue] { #expect(!text.contains(secret), "\(secret)") }
            let pushed = try #require(records[.pushes]?.first)
            #expect(pushed.contains(#""content""#) && pushed.contains(DispatchUnderTest.phone.rawValue))
            #expect(records[.alerts]?.first?.contains(#""pushService": "push.example""#) == true)
        }
    }

    @Test("A store sees devices and cards of its own deliveries alone, and no summary")
    func stores() async throws {
        try await DispatchUnderTest.run { service in
            let (nordhavn, valby) = (
                try #require(StoreID(rawValue: "nordhavn")), try #require(StoreID(rawValue: "valby"))
            )
            let delivery = DeliveryID(UUID())
            try await service.register()
            for one in [delivery, DeliveryID(UUID()), DeliveryID(UUID())] {
                try await service.show(1, of: one, at: "nordhavn")
            }
            try await service.reconcile()
            let export = Self.export(service)
            let whole = try await exportedRecords(Self.request([delivery]), by: export)
            #expect(whole[.pushes]?.contains { $0.contains("summary-") } == true)
            let own = try await exportedRecords(Self.request([delivery], store: nordhavn), by: export)
            #expect(own[.devices]?.count == 1 && own[.cards]?.count == 1)
            #expect(own[.pushes]?.contains { $0.contains("summary-") } == false)
            let others = try await exportedRecords(Self.request([], store: valby), by: export)
            #expect(others.isEmpty)
            let part = try await exportedRecords(Self.request([delivery], isLast: false), by: export)
            #expect(part[.devices] == nil)
        }
    }
}
