import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Failures as they are stored", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct FailuresStorageTests {
    @Test("A card's and a device's come back whole, and a registration keeps the device's")
    func roundTrip() async throws {
        let delivery = DeliveryID(UUID())
        let phone = DispatchUnderTest.phone
        let failures = Failures(count: 3, reason: "TooManyRequests", retryAt: noon + 30)
        try await DispatchUnderTest.run(apns: FakeTransport([])) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery)
            var card = try #require(try await ActivityRepository.cards(on: phone, in: service.pool).first)
            card.card.failures = failures
            var device = try #require(try await ActivityRepository.device(phone, on: service.pool))
            let former = device.device
            device.device.startFailures = failures
            let writes = ReconcileWrites(cards: [card], devices: [.init(stored: device, former: former, dueAt: nil)])
            try await service.pool.batch(writes.statements())
            #expect(try await ActivityRepository.cards(on: phone, in: service.pool).first?.card.failures == failures)
            #expect(
                try await ActivityRepository.device(phone, on: service.pool)?.device.startFailures == failures)
            try await service.register(transport: "apns")
            #expect(
                try await ActivityRepository.device(phone, on: service.pool)?.device.startFailures == failures)
        }
    }
}
