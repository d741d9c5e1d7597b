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

@Suite("Rows that cannot be decoded", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FaultTests {
    let delivery = DeliveryID(UUID())

    @Test("A row of cards' health that cannot be decoded is skipped, and every other is republished")
    func unreadableHealth() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            try await service.pool.execute("DELETE FROM outbox")
            try await service.pool.execute(
                """
                INSERT INTO activities (activity_id, customer_id, delivery_id, wanted, is_ended, version, step, wanted_at)
                VALUES ('--1', 'mira', '-', '{}', false, 1, 0, \(service.clock.now))
                """)
            try await service.pool.execute(
                """
                INSERT INTO card_health (delivery_id, sequence, cards, behind, changed_at)
                VALUES ('-', 1, 1, 0, \(service.clock.now))
                """)
            let republisher = SnapshotRepublisher(clock: service.clock.domain)
            let pages = try await pagesOfAllSlices(of: republisher, rowsMax: 1, on: service.pool)
            #expect(pages.map(\.objects.count).reduce(0, +) == 1)
            #expect(pages.flatMap(\.skipped).map(\.id) == ["--1"])
            #expect(try await service.health().map(\.delivery) == [delivery])
        }
    }

    /// How much of the first device's data cannot be read.
    enum Fault: CaseIterable, Sendable {
        case card, device

        func breaks(_ id: DeviceID) -> [SQL] {
            switch self {
            case .card: ["UPDATE cards SET sent = '{}' WHERE device_id = \(id)"]
            case .device:
                [
                    "ALTER TABLE devices DROP CONSTRAINT devices_transport_check",
                    "UPDATE devices SET transport = 'pigeon' WHERE device_id = \(id)",
                ]
            }
        }

        func repairs(_ id: DeviceID) -> SQL {
            switch self {
            case .card: "UPDATE cards SET sent = NULL WHERE device_id = \(id)"
            case .device: "UPDATE devices SET transport = 'stream' WHERE device_id = \(id)"
            }
        }
    }

    @Test("A device whose rows cannot be decoded stops no other, and is retried later", arguments: Fault.allCases)
    func unreadableDevice(fault: Fault) async throws {
        try await DispatchUnderTest.run { service in
            let tablet = try #require(DeviceID(rawValue: "tablet"))
            try await service.register()
            try await service.register(tablet)
            try await service.show(1, of: delivery)
            try await service.reconcile()
            service.clock.advance(by: 5)
            try await service.show(2, of: delivery, phase: .onTheWay)
            for statement in fault.breaks(DispatchUnderTest.phone) { try await service.pool.execute(statement) }
            try await service.reconcile()
            #expect(try await service.events(on: tablet)?.last?.revision.version == 2)
            #expect(try await service.events()?.last?.revision.version == 1)
            let due = try await ActivityRepository.nextDue(on: service.pool)
            #expect(try #require(due) > service.clock.now)

            try await service.pool.execute(fault.repairs(DispatchUnderTest.phone))
            service.clock.advance(by: 61)
            try await service.reconcile()
            #expect(try await service.events()?.last?.revision.version == 2)
        }
    }
}
