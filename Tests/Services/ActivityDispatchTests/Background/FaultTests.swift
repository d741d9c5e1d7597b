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

@Suite("Data that cannot be read", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FaultTests {
    let delivery = DeliveryID(UUID())

    @Test("A row of cards' health that cannot be read is passed over, and every other is told again")
    func unreadableHealth() async throws {
        try await Bench.run { bench in
            try await bench.register()
            try await bench.show(1, of: delivery)
            try await bench.dispatch()
            try await bench.pool.execute("DELETE FROM outbox")
            try await bench.pool.execute(
                """
                INSERT INTO card_health (delivery_id, sequence, cards, behind, changed_at)
                VALUES ('-', 1, 1, 0, \(bench.clock.now))
                """)
            let healing = Healing(clock: bench.clock.domain)
            let page = { (cursor: String?) in
                try await bench.pool.withTransaction { try await healing.page(after: cursor, rowsMax: 1, in: $0) }
            }
            let first = try await page(nil)
            #expect(first.count == 0 && first.skipped.map(\.id) == ["-"] && first.next == "-")
            let second = try await page(first.next)
            #expect(second.count == 1 && second.skipped.isEmpty)
            #expect(try await bench.health().map(\.delivery) == [delivery])
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

        func mends(_ id: DeviceID) -> SQL {
            switch self {
            case .card: "UPDATE cards SET sent = NULL WHERE device_id = \(id)"
            case .device: "UPDATE devices SET transport = 'stream' WHERE device_id = \(id)"
            }
        }
    }

    @Test("A device whose data cannot be read stops no other, and is tried again later", arguments: Fault.allCases)
    func unreadableDevice(fault: Fault) async throws {
        try await Bench.run { bench in
            let tablet = try #require(DeviceID(rawValue: "tablet"))
            try await bench.register()
            try await bench.register(tablet)
            try await bench.show(1, of: delivery)
            try await bench.dispatch()
            bench.clock.advance(by: 5)
            try await bench.show(2, of: delivery, phase: .onTheWay)
            for statement in fault.breaks(Bench.phone) { try await bench.pool.execute(statement) }
            try await bench.dispatch()
            #expect(try await bench.events(on: tablet)?.last?.revision.version == 2)
            #expect(try await bench.events()?.last?.revision.version == 1)
            let due = try await ActivityRepository.nextDue(on: bench.pool)
            #expect(try #require(due) > bench.clock.now)

            try await bench.pool.execute(fault.mends(Bench.phone))
            bench.clock.advance(by: 61)
            try await bench.dispatch()
            #expect(try await bench.events()?.last?.revision.version == 2)
        }
    }
}
