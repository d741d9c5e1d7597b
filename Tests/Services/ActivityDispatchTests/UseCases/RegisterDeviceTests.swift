import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Registering a device again", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct RegisterDeviceTests {
    @Test("The cards that a registration makes are counted for their deliveries, also before they start")
    func counted() async throws {
        try await DispatchUnderTest.run { service in
            let delivery = DeliveryID(UUID())
            try await service.show(1, of: delivery, startAt: 2_000_000_000)
            for _ in 1...2 { try await service.register() }
            #expect(try await service.health().map(\.delivery) == [delivery])
            #expect(try await service.health().map(\.cards) == [1])
        }
    }

    @Test("A phone's start token is of the device that it was observed by last: the former one starts no card on it")
    func sharedStartToken() async throws {
        try await DispatchUnderTest.run(apns: FakeTransport([])) { service in
            let later = try #require(DeviceID(rawValue: "signed-in-later"))
            func upload(
                _ device: DeviceID, observedAt: Date, generation: Int = 1, of customer: CustomerID
            ) async throws {
                let token = PushTokenBody(value: "abcdabcdabcdabcd", observedAt: observedAt, generation: generation)
                _ = try await service.registerDevice(
                    device,
                    RegisterDeviceBody(transport: "apns", activitiesEnabled: true, pushToStartToken: .set(token)),
                    for: customer)
            }
            func holders() async throws -> [String] {
                try await service.pool.query(
                    "SELECT device_id FROM devices WHERE push_to_start_token IS NOT NULL ORDER BY device_id"
                ).map { try $0.decode("device_id") }
            }
            try await upload(DispatchUnderTest.phone, observedAt: noon - 120, of: DispatchUnderTest.mira)
            #expect(try await holders() == ["phone"])
            try await upload(later, observedAt: noon - 60, of: DispatchUnderTest.noor)
            #expect(try await holders() == ["signed-in-later"])
            // Sent again after a lost answer.
            try await upload(DispatchUnderTest.phone, observedAt: noon - 120, of: DispatchUnderTest.mira)
            #expect(try await holders() == ["signed-in-later"])
            try await service.show(1, of: DeliveryID(UUID()))
            try await service.reconcile()
            #expect(try await service.pool.query("SELECT device_id FROM pushes").isEmpty)
            // A generation says nothing between two devices.
            try await upload(DispatchUnderTest.phone, observedAt: noon - 60, generation: 0, of: DispatchUnderTest.mira)
            #expect(try await holders() == ["phone"])
        }
    }

    @Test("Where frequent updates are switched off, what the phone was sent within the hour is off its smaller budget")
    func infrequent() async throws {
        try await DispatchUnderTest.run(apns: FakeTransport([])) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: try #require(DeliveryID(rawValue: "4c9a1bfd-821f-45e0-bc07-aba3a2c91c5f")))
            // 10, 25, 40, 55 and 70 minutes ago.
            try await service.pool.execute(
                """
                INSERT INTO pushes (card_id, device_id, activity_id, event, priority, timestamp, version, step, fence,
                    leased_at)
                SELECT card_id, device_id, activity_id, 'update', 10, n, 1, 0, 1000 + n,
                    \(service.clock.now)::timestamptz - make_interval(mins => 15 * n - 5)
                FROM cards, generate_series(1, 5) AS n
                """)
            func tokens(frequent: Bool) async throws -> Double? {
                _ = try await service.registerDevice(
                    DispatchUnderTest.phone, RegisterDeviceBody(transport: "apns", frequentPushesEnabled: frequent),
                    for: DispatchUnderTest.mira)
                let stored = try await ActivityRepository.device(DispatchUnderTest.phone, on: service.pool)
                return stored?.device.urgentPushes?.tokens
            }
            #expect(try await tokens(frequent: true) == nil)
            #expect(try await tokens(frequent: false) == 2)
            // Saying so again changes nothing.
            try await service.pool.execute("UPDATE devices SET urgent_tokens = 1")
            #expect(try await tokens(frequent: false) == 1)
        }
    }
}
