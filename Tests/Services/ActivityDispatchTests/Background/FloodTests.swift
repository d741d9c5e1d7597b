import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("One customer's flood", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FloodTests {
    private func device(_ name: String) throws -> DeviceID { try #require(DeviceID(rawValue: name)) }

    @Test("Customers take turns: the device of another is among the first, behind many of one customer that are due")
    func turns() async throws {
        try await DispatchUnderTest.run { service in
            for number in 1...10 { try await service.register(try device("mira-\(number)")) }
            let noor = try device("noor")
            try await service.register(noor, for: DispatchUnderTest.noor)
            try await service.pool.execute("UPDATE devices SET due_at = \(service.clock.now - 60)")
            try await service.pool.execute(
                "UPDATE devices SET due_at = \(service.clock.now) WHERE device_id = \(noor)")
            let first = try await service.pool.withTransaction { transaction in
                try await ActivityRepository.lockDueDevices(
                    by: service.clock.now, devicesMax: 2, in: transaction
                ).map(\.device.customer)
            }
            #expect(Set(first) == [DispatchUnderTest.mira, DispatchUnderTest.noor])
        }
    }

    @Test("Devices with more cards than one transaction takes are all reconciled, in several")
    func budget() async throws {
        try await DispatchUnderTest.run { service in
            for number in 1...5 { try await service.register(try device("mira-\(number)")) }
            for _ in 1...60 { try await service.show(1, of: DeliveryID(UUID())) }
            try await service.reconcile()
            for number in 1...5 {
                let events = try #require(try await service.events(on: try device("mira-\(number)")))
                #expect(events.filter { $0.event == .start }.count == 5)
            }
            #expect(try await ActivityRepository.nextDue(on: service.pool).map { $0 > service.clock.now } ?? true)
        }
    }
}
