import Foundation
import Logging
import Messages
import NatsClient
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Open device streams", .tags(.integration), .postgresSchema, .nats, .timeLimit(.minutes(5)))
struct StreamHubTests {
    private let phone = DispatchUnderTest.phone
    private let mira = DispatchUnderTest.mira
    private let delivery = DeliveryID(UUID())

    @Test("A stream beats every fifteen seconds, and ends when its reader's token does")
    func beats() async throws {
        try await DispatchUnderTest.run { service in
            let time = ElapsedTime()
            let hub = StreamHub(pool: service.pool, logger: .silent) { time.now }
            let slot = try #require(hub.open(phone, of: mira, lastEventID: 0, lifetime: .seconds(20)))
            let tablet = try #require(DeviceID(rawValue: "tablet"))
            let endless = try #require(hub.open(tablet, of: mira, lastEventID: 0))
            for (seconds, wakes) in [(14, false), (1, true), (4, false)] {
                time.advance(by: .seconds(seconds))
                hub.streams.beat()
                #expect(slot.signal.isHeartbeatDue == wakes && endless.signal.isHeartbeatDue == wakes)
                if wakes {
                    #expect(await slot.signal.next() == .heartbeat)
                    #expect(await endless.signal.next() == .heartbeat)
                }
            }
            time.advance(by: .seconds(1))
            hub.streams.beat()
            #expect(await slot.signal.next() == nil)
            time.advance(by: .seconds(10))
            hub.streams.beat()
            #expect(await endless.signal.next() == .heartbeat)
        }
    }

    @Test("A database that does not answer keeps no stream open beyond its token")
    func databaseThatDoesNotAnswer() async throws {
        try await DispatchUnderTest.run { service in
            let time = ElapsedTime()
            let hub = StreamHub(pool: service.pool, logger: .silent) { time.now }
            let slot = try #require(hub.open(phone, of: mira, lastEventID: 0, lifetime: .seconds(20)))
            try await service.pool.withTransaction { transaction in
                try await transaction.execute("LOCK TABLE devices")
                let beating = Task { try await hub.streams.run() }
                let comparing = Task { try await hub.compare() }
                defer {
                    beating.cancel()
                    comparing.cancel()
                }
                let waiting: SQL = "SELECT 1 FROM pg_locks WHERE relation = 'devices'::regclass AND NOT granted"
                while try await transaction.query(waiting).isEmpty { await Task.yield() }
                time.advance(by: .seconds(20))
                #expect(await slot.signal.next() == nil)
            }
        }
    }

    @Test("A comparison wakes the streams that have missed something, and those alone")
    func comparison() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.show(1, of: delivery)
            let elsewhere = StreamHub(pool: service.pool, logger: .silent)
            let slot = try #require(elsewhere.open(phone, of: mira, lastEventID: 0))
            try await service.reconcile()
            #expect(service.hub.openElsewhere.drain().keys.contains(phone))
            try await elsewhere.compare()
            #expect(await slot.signal.next() == .events)
            try await elsewhere.compare()
            slot.signal.end()
            #expect(await slot.signal.next() == nil)
        }
    }

    @Test("A replica is told at once of what another committed for a stream that is open here")
    func notices() async throws {
        try await DispatchUnderTest.run { service in
            let nats = NatsClient(try TestNats.configuration(), logger: .silent)
            try await nats.connect()
            let elsewhere = StreamHub(pool: service.pool, logger: .silent)
            // Tests that run beside it publish notices of the others' phone to the same broker.
            let device = try #require(DeviceID(rawValue: UUID().uuidString))
            try await service.register(device)
            let slot = try #require(elsewhere.open(device, of: mira, lastEventID: 0))
            await withTaskGroup(of: Void.self) { group in
                for hub in [service.hub, elsewhere] {
                    group.addTask { try? await StreamNotices(nats: nats, hub: hub, logger: .silent).run() }
                }
                // Until the subscription is there, a notice is lost: whoever subscribes compares first.
                group.addTask {
                    while !Task.isCancelled {
                        service.hub.wake(device)
                        await Task.yield()
                    }
                }
                #expect(await slot.signal.next() == .events)
                group.cancelAll()
            }
            await nats.close()
        }
    }

    @Test("Streams that are to look in any case are not held back by newer events of the device")
    func noticeInAnyCase() {
        let outgoing = OutgoingNotices()
        outgoing.add(phone, lastEventID: nil)
        outgoing.add(phone, lastEventID: 7)
        #expect(outgoing.drain() == [phone: nil] && outgoing.drain().isEmpty)
        outgoing.add(phone, lastEventID: 7)
        #expect(outgoing.drain() == [phone: 7])
    }

    @Test("A notice of events that a stream has read already does not wake it")
    func oldNotice() async throws {
        try await DispatchUnderTest.run { service in
            let slot = try #require(service.hub.open(phone, of: mira, lastEventID: 5))
            service.hub.noticed(phone, lastEventID: 5)
            service.hub.noticed(phone, lastEventID: 6)
            #expect(await slot.signal.next() == .events)
            service.hub.noticed(phone, lastEventID: 6)
            slot.signal.end()
            #expect(await slot.signal.next() == nil)
        }
    }
}
