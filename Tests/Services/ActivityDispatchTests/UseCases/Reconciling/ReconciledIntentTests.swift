import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Intents reconciled in their own transaction", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ReconciledIntentTests {
    private static let tablet = DeviceID(rawValue: "tablet")!
    private let delivery = DeliveryID(UUID())

    private func intent(
        _ version: Int, of delivery: DeliveryID, for customer: CustomerID = DispatchUnderTest.mira
    ) -> Intent {
        DispatchUnderTest.intent(
            { .shows(version, 0, activity: $0, phase: .picking, startAt: 0, staleAt: 2_000_000_000, alert: nil) },
            of: delivery, for: customer)
    }

    private func dueDevices(_ service: DispatchUnderTest) async throws -> [DeviceID] {
        try await service.pool.query("SELECT device_id FROM devices WHERE due_at <= \(service.clock.now) ORDER BY 1")
            .map { try $0.decode("device_id") }
    }

    @Test("An open stream is sent from memory what is committed for it, and nothing is left to do")
    func fromMemory() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.reconcile()
            let dispatcher = service.dispatcher()
            let apply = service.applyIntent(by: dispatcher)
            let slot = try #require(
                service.hub.open(DispatchUnderTest.phone, of: DispatchUnderTest.mira, lastEventID: 0))
            var stream = DeviceStream(
                device: DispatchUnderTest.phone, customer: DispatchUnderTest.mira, lastEventID: 0, pool: service.pool,
                slot: slot, now: { service.clock.now })
            #expect(try await stream.next()?.isEmpty == true)
            var ids: [Int] = []
            for version in 1...3 {
                #expect(try await apply(intent(version, of: delivery)))
                // Not to be had from the table any more.
                try await service.pool.execute("UPDATE device_events SET data = '', start_data = ''")
                let events = try #require(try await stream.next()).map(DispatchUnderTest.ReceivedEvent.init)
                #expect(events.map(\.revision.version) == [version])
                #expect(events.map(\.event) == [version == 1 ? .start : .update])
                ids += events.map(\.id)
                #expect(try await dueDevices(service).isEmpty)
                service.clock.advance(by: 5)
            }
            #expect(ids == ids.sorted() && Set(ids).count == 3)
            #expect(try await dispatcher.reconcileDueDevices() == 0)
            #expect(try await service.health().map(\.cards) == [1])
        }
    }

    @Test("A stream that was opened for another store is not handed what it may not see")
    func otherStore() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let hub = service.hub
            let store = try #require(StoreID(rawValue: "nordhavn"))
            let slot = try #require(
                hub.open(DispatchUnderTest.phone, of: DispatchUnderTest.mira, within: store, lastEventID: 0))
            let apply = service.applyIntent(by: service.dispatcher())
            #expect(try await apply(intent(1, of: delivery)))
            #expect(await slot.signal.next() == .events)
            #expect(slot.mailbox.take(after: 0) == nil)
        }
    }

    @Test("A push over the network is leased with the intent, and sent once")
    func overTheNetwork() async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            let dispatcher = service.dispatcher()
            let apply = service.applyIntent(by: dispatcher)
            #expect(try await apply(intent(1, of: delivery)))
            #expect(try await service.cards(of: delivery).map(\.state) == ["starting"])
            #expect(try await service.dispatcher().reconcileDueDevices() == 0)
            #expect(await dispatcher.sendQueued() == 1)
            #expect(transport.pushes.count == 1)
        }
    }

    @Test("Of more cards than one transaction takes the others are due")
    func manyCards() async throws {
        try await DispatchUnderTest.run { service in
            for device in [DispatchUnderTest.phone, Self.tablet] { try await service.register(device) }
            try await service.reconcile()
            var configuration = DispatchConfiguration()
            configuration.cardsPerBatchMax = 1
            let dispatcher = service.dispatcher(configuration)
            #expect(try await service.applyIntent(by: dispatcher)(intent(1, of: delivery)))
            #expect(try await service.events()?.count == 1)
            #expect(try await service.events(on: Self.tablet)?.isEmpty == true)
            #expect(try await dueDevices(service) == [Self.tablet])
            try await dispatcher.reconcileDueDevices()
            #expect(try await service.events(on: Self.tablet)?.count == 1)
        }
    }

    @Test("A device that cannot be reconciled keeps no intent from being applied, and no other device from its cards")
    func unreadableCard() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.register(Self.tablet, for: DispatchUnderTest.noor)
            try await service.show(1, of: delivery)
            try await service.reconcile()
            try await service.pool.execute("UPDATE cards SET sent = '{}'")
            service.clock.advance(by: 5)
            let (dispatcher, other) = (service.dispatcher(), DeliveryID(UUID()))
            let another = DeliveryID(UUID())
            #expect(
                try await service.applyIntent(by: dispatcher)([
                    intent(1, of: another), intent(1, of: other, for: DispatchUnderTest.noor),
                ]))
            try await dispatcher.reconcileDueDevices()
            #expect(try await service.events(on: Self.tablet, of: DispatchUnderTest.noor)?.count == 1)
            let stored = try await ActivityRepository.activity(DispatchUnderTest.activity(another), on: service.pool)
            #expect(stored != nil)
            #expect(try #require(try await ActivityRepository.nextDue(on: service.pool)) > service.clock.now)
        }
    }
}
