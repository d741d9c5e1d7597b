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

    @Test("Of a batch the customers with a few come first and together, then the others by themselves")
    func shares() throws {
        func activity(_ customer: CustomerID) -> Activity {
            let delivery = DeliveryID(UUID())
            let id = ActivityID(delivery, episode: 1)
            return Activity(
                id: id, customer: customer, delivery: delivery, wanted: .shows(1, activity: id.rawValue))
        }
        let flood = (0..<20).map { _ in activity(DispatchUnderTest.mira) }
        let few = (0..<2).map { _ in activity(DispatchUnderTest.noor) }
        let shares = ApplyIntent.shares(of: flood + few)
        #expect(shares.map(\.count) == [2, 8, 8, 4])
        #expect(shares[0] == few)
        #expect(Set(shares.joined()) == Set(flood + few))
    }
}
