import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("One customer's flood", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FloodTests {
    private let start = ContinuousClock.now

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

    @Test("Devices whose decisions take too long for one transaction are reconciled in one each, and none is left out")
    func slowDecisions() async throws {
        try await DispatchUnderTest.run { service in
            let devices = try (1...5).map { try device("mira-\($0)") }
            for device in devices { try await service.register(device) }
            try await service.show(1, of: DeliveryID(UUID()))
            let readings = Mutex(0)
            let dispatcher = service.dispatcher {
                // Each reading is later than what one transaction has time for.
                readings.withLock { count in
                    count += 1
                    return start + .seconds(count)
                }
            }
            #expect(try await dispatcher.reconcileDueDevices() == 5)
            for device in devices { #expect(try await service.events(on: device)?.map(\.event) == [.start]) }
            let transactions = try await service.pool.query("SELECT DISTINCT xmin::text AS id FROM pushes")
            #expect(transactions.count == 5)
        }
    }
}
