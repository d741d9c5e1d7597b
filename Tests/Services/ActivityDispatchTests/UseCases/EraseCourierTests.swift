import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Couriers that are erased", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EraseCourierTests {
    private static let canary = OrderDomain.Courier(
        id: CourierID(rawValue: "canary-1").unsafelyUnwrapped, name: "Canary Holm", vehicle: .car, phone: nil)
    private static let erased = ErasedCourier(
        id: canary.id, pseudonym: CourierID(pseudonym: UUID()), names: [canary.name], phones: [])

    /// A delivery at its versions: under way with the canary, then delivered.
    private static func versions() throws -> (underWay: Delivery, ended: Delivery) {
        let place = Coordinate(clampingLatitude: 55.7, longitude: 12.5)
        var delivery = Delivery(
            id: DeliveryID(UUID()), order: OrderID(UUID()), reference: "G-1", customer: DispatchUnderTest.mira,
            store: Store(
                id: try #require(StoreID(rawValue: "nordhavn")), name: "Nordhavn", location: place,
                timeZone: "Europe/Copenhagen"),
            bag: Bag(number: 1, count: 1), door: place,
            promise: try #require(Promise(start: noon, end: noon.addingTimeInterval(3_600))),
            handoff: try #require(Handoff(method: .handToCustomer, verification: .none)),
            items: [Item(id: try #require(ItemID(rawValue: "milk")), name: "Milk", quantity: 1, ifUnavailable: .ask)],
            placedAt: noon)
        _ = try delivery.apply(.courier(canary), at: noon)
        for code in [StatusCode.pickedUp, .enRoute, .atDoor] {
            _ = try delivery.apply(.override(code, reason: "a test"), at: noon)
        }
        let underWay = delivery
        _ = try delivery.apply(.override(.delivered, reason: "a test"), at: noon)
        return (underWay, delivery)
    }

    private static func apply(_ delivery: Delivery, step: Int, _ service: DispatchUnderTest) async throws -> Bool {
        try await service.apply(
            { _ in ActivityStep.after(DeliverySnapshot(delivery, links: []), arrival: nil, step: step) },
            of: delivery.id, at: "nordhavn")
    }

    private static func erase(_ delivery: Delivery, _ service: DispatchUnderTest) async throws -> ErasureReceipt {
        try await EraseCourier(pool: service.pool, clock: service.clock.domain)(
            CourierErasureRequest(
                request: UUID(), part: "", courier: erased,
                deliveries: [
                    DeliveryChanged(
                        delivery: delivery.without(erased), links: [], cause: "erased",
                        changedAt: delivery.endedAt ?? noon)
                ], requestedAt: noon, isLast: true, keepsCourier: false, mayWait: true))
    }

    @Test("The name goes from cards and the ledger, the card stays its customer's, and late intents bring nothing back")
    func erased() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let (underWay, ended) = try Self.versions()
            #expect(try await Self.apply(underWay, step: 1, service))
            try await service.reconcile()
            #expect(
                Set(try await tablesWith("Canary", on: service.pool)).isSuperset(of: [
                    "activities", "cards", "device_events", "pushes",
                ]))
            // Its end is still to come.
            #expect(try await Self.erase(ended, service).isWaiting)
            #expect(try await Self.apply(ended, step: 1, service))
            try await service.reconcile()
            let last = try #require(try await service.events()?.last)
            #expect(last.event == .end)

            let receipt = try await Self.erase(ended, service)
            #expect(receipt.rows["pushes"] ?? 0 >= 1)
            try await service.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("Canary", on: service.pool) == [])
            let activity = try #require(
                try await ActivityRepository.activity(DispatchUnderTest.activity(ended.id), on: service.pool)
            ).activity
            #expect(activity.customer == DispatchUnderTest.mira && activity.isEnded)

            try await service.reconcile()
            #expect(try await service.events(after: last.id)?.isEmpty == true)
            for late in [underWay, ended] { #expect(try await !Self.apply(late, step: 9, service)) }
            #expect(try await tablesWith("Canary", on: service.pool) == [])
        }
    }

    @Test("What a live card shows of a former courier loses the name, and its next state is shown")
    func live() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            var delivery = try Self.versions().underWay
            #expect(try await Self.apply(delivery, step: 1, service))
            try await service.reconcile()
            let noah = OrderDomain.Courier(
                id: try #require(CourierID(rawValue: "noah")), name: "Noah", vehicle: .car, phone: nil)
            _ = try delivery.apply(.courier(noah), at: noon)
            _ = try delivery.apply(.status(.pickedUp, reason: nil, notice: CustomerNotice()), at: noon)
            #expect(try await Self.apply(delivery, step: 1, service))
            _ = try await Self.erase(delivery, service)
            try await service.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("Canary", on: service.pool) == [])
            let before = try #require(try await service.events()?.last)
            service.clock.advance(by: 60)
            try await service.reconcile()
            let shown = try #require(try await service.events(after: before.id)?.last)
            #expect(shown.event == .update)
            #expect(try await !tablesWith("Noah", on: service.pool).isEmpty)
        }
    }

    @Test("A late intent of a delivery that was unknown until the erasure brings no name")
    func unknown() async throws {
        try await DispatchUnderTest.run { service in
            let (underWay, ended) = try Self.versions()
            #expect(try await Self.erase(ended, service).rows["activities"] == 1)
            for late in [underWay, ended] { #expect(try await !Self.apply(late, step: 9, service)) }
            #expect(try await tablesWith("Canary", on: service.pool) == [])
        }
    }
}
