import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Devices' connections", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct DeviceConnectionsTests {
    private let delivery = DeliveryID(UUID())

    private func connections(_ service: DispatchUnderTest, _ hub: StreamHub? = nil) -> DeviceConnections {
        DeviceConnections(
            pool: service.pool, clock: service.clock.domain, hub: hub ?? service.hub, logger: .silent)
    }

    private func open(_ hub: StreamHub, of customer: CustomerID = DispatchUnderTest.mira) throws -> DeviceSlot {
        try #require(hub.open(DispatchUnderTest.phone, of: customer, lastEventID: 0))
    }

    private func withCard(_ body: (DispatchUnderTest) async throws -> Void) async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            try await body(service)
        }
    }

    @Test("A card says whether its device is connected, and when it last was")
    func written() async throws {
        try await withCard { service in
            let writing = connections(service)
            try await writing.write()
            var card = try #require(try await service.cards(of: delivery).first)
            #expect(card.isConnected == nil && card.lastConnectedAt == nil)

            var slot: DeviceSlot? = try open(service.hub)
            try await writing.write()
            card = try #require(try await service.cards(of: delivery).first)
            #expect(card.isConnected == true && card.lastConnectedAt == service.clock.now)

            service.clock.advance(by: 300)
            withExtendedLifetime(slot) {}
            slot = nil
            try await writing.write()
            let closedAt = service.clock.now
            service.clock.advance(by: 720)
            card = try #require(try await service.cards(of: delivery).first)
            #expect(card.isConnected == false && card.lastConnectedAt == closedAt)
        }
    }

    @Test("A card of a customer shows no connection of the device once another customer has signed in on it")
    func anotherCustomers() async throws {
        try await withCard { service in
            let writing = connections(service)
            let former = try open(service.hub)
            try await writing.write()
            var card = try #require(try await service.cards(of: delivery).first)
            #expect(card.isConnected == true && card.lastConnectedAt == service.clock.now)

            try await service.register(for: DispatchUnderTest.noor)
            let present = try open(service.hub, of: DispatchUnderTest.noor)
            try await writing.write()
            card = try #require(try await service.cards(of: delivery).first)
            #expect(card.isConnected == nil && card.lastConnectedAt == nil)
            withExtendedLifetime(former) {}
            withExtendedLifetime(present) {}
        }
    }

    @Test("An older stream that closes after the device opened another, at another replica too, changes nothing")
    func replaced() async throws {
        try await withCard { service in
            let elsewhere = StreamHub(pool: service.pool, logger: .silent)
            var older: DeviceSlot? = try open(elsewhere)
            try await connections(service, elsewhere).write()
            let newer = try open(service.hub)
            try await connections(service).write()
            withExtendedLifetime(older) {}
            older = nil
            try await connections(service, elsewhere).write()
            #expect(try await service.cards(of: delivery).first?.isConnected == true)
            withExtendedLifetime(newer) {}
        }
    }

    @Test("A stream that ended before it was written replaces none that is open at another replica")
    func ended() async throws {
        try await withCard { service in
            let elsewhere = StreamHub(pool: service.pool, logger: .silent)
            let (writing, writingElsewhere) = (connections(service), connections(service, elsewhere))
            func openBriefly() throws {
                let slot = try open(elsewhere)
                withExtendedLifetime(slot) {}
            }
            try openBriefly()
            try await writingElsewhere.write()
            var card = try #require(try await service.cards(of: delivery).first)
            #expect(card.isConnected == false && card.lastConnectedAt == service.clock.now)
            service.clock.advance(by: 300)
            try openBriefly()
            try await writingElsewhere.write()
            card = try #require(try await service.cards(of: delivery).first)
            #expect(card.isConnected == false && card.lastConnectedAt == service.clock.now)

            try openBriefly()
            let slot = try open(service.hub)
            try await writing.write()
            try await writingElsewhere.write()
            #expect(try await service.cards(of: delivery).first?.isConnected == true)
            withExtendedLifetime(slot) {}
        }
    }

    @Test("A stream that a dead one at another replica replaced is the device's again once the dead one is closed")
    func present() async throws {
        try await withCard { service in
            let elsewhere = StreamHub(pool: service.pool, logger: .silent)
            let (writing, writingElsewhere) = (connections(service), connections(service, elsewhere))
            var dead: DeviceSlot? = try open(elsewhere)
            let slot = try open(service.hub)
            try await writing.write()
            try await writingElsewhere.write()
            withExtendedLifetime(dead) {}
            dead = nil
            try await writingElsewhere.write()
            #expect(try await service.cards(of: delivery).first?.isConnected == false)
            for _ in 1..<DeviceConnections.renewalEvery { try await writing.write() }
            #expect(try await service.cards(of: delivery).first?.isConnected == true)
            withExtendedLifetime(slot) {}
        }
    }

    @Test("A stream that stays open is renewed, and one of a process that died runs out")
    func renewed() async throws {
        try await withCard { service in
            let slot = try open(service.hub)
            let writing = connections(service)
            try await writing.write()
            try await service.pool.execute("UPDATE device_connections SET open_until = clock_timestamp()")
            #expect(try await service.cards(of: delivery).first?.isConnected == false)
            for _ in 0..<DeviceConnections.renewalEvery { try await writing.write() }
            #expect(try await service.cards(of: delivery).first?.isConnected == true)
            withExtendedLifetime(slot) {}
        }
    }

    @Test("A process that stops writes that its streams are closed, at once and not when they run out")
    func drained() async throws {
        try await withCard { service in
            let slot = try open(service.hub)
            let group = ServiceGroup(services: [connections(service)], logger: .silent)
            async let run: Void = group.run()
            await group.triggerGracefulShutdown()
            try await run
            let card = try #require(try await service.cards(of: delivery).first)
            #expect(card.isConnected == false && card.lastConnectedAt == service.clock.now)
            withExtendedLifetime(slot) {}
        }
    }

    @Test("A stream of a device that an erasure has deleted, or is deleting, leaves no row")
    func erased() async throws {
        try await withCard { service in
            let slot = try open(service.hub)
            let writing = connections(service)
            let pool = service.pool
            let writes = try await pool.withTransaction { transaction in
                try await transaction.execute("DELETE FROM cards")
                try await transaction.execute("DELETE FROM devices")
                let isWritten = Flag()
                let writes = Task {
                    defer { isWritten.isSet.withLock { $0 = true } }
                    try await writing.write()
                }
                let waiting: SQL = """
                    SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid
                    """
                while !isWritten.isSet.withLock(\.self), try await transaction.query(waiting).isEmpty {
                    await Task.yield()
                }
                return writes
            }
            try await writes.value
            #expect(try await pool.query("SELECT FROM device_connections").isEmpty)
            withExtendedLifetime(slot) {}
        }
    }

    @Test("What could not be written is written the next time")
    func outage() async throws {
        try await withCard { service in
            let slot = try open(service.hub)
            let writing = connections(service)
            try await service.pool.execute("ALTER TABLE device_connections RENAME TO away")
            await #expect(throws: PostgresError.self) { try await writing.write() }
            try await service.pool.execute("ALTER TABLE away RENAME TO device_connections")
            try await writing.write()
            #expect(try await service.cards(of: delivery).first?.isConnected == true)
            withExtendedLifetime(slot) {}
        }
    }
}

private final class Flag: Sendable {
    let isSet = Mutex(false)
}
