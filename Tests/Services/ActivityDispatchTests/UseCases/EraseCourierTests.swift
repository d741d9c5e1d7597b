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
        id: CourierID(rawValue: "canary-1").unsafelyUnwrapped, name: "Canary Holm", vehicle: .car, phone: "+4599887766")
    private static let noah = OrderDomain.Courier(
        id: CourierID(rawValue: "noah").unsafelyUnwrapped, name: "Noah", vehicle: .car, phone: "+4511223344")
    private static let erased = ErasedCourier(
        id: canary.id, pseudonym: CourierID(pseudonym: UUID()), names: [canary.name], phones: ["+4599887766"])

    /// A delivery at its versions: under way with a courier, then delivered.
    private static func versions(
        of courier: OrderDomain.Courier = canary
    ) throws -> (underWay: Delivery, ended: Delivery) {
        var delivery = try Delivery.sample()
        _ = try delivery.apply(.courier(courier), at: noon)
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

    private static func erase(
        _ delivery: Delivery, _ service: DispatchUnderTest, mayWait: Bool = true
    ) async throws -> ErasureReceipt {
        try await EraseCourier(pool: service.pool, clock: service.clock.domain)(
            CourierErasureRequest(
                request: UUID(), part: "", courier: erased,
                deliveries: [
                    DeliveryChanged(
                        delivery: delivery.without(erased), links: [], cause: "erased",
                        changedAt: delivery.endedAt ?? noon)
                ], requestedAt: noon, isLast: true, keepsCourier: false, mayWait: mayWait))
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
            _ = try delivery.apply(.courier(Self.noah), at: noon)
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

    @Test("The summary of a customer's deliveries, which has a line of the next one, loses the name too")
    func summary() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let deliveries = try (0..<3).map { _ in try Self.versions() }
            for one in deliveries { #expect(try await Self.apply(one.underWay, step: 1, service)) }
            try await service.reconcile()
            let summaries: SQL = """
                SELECT FROM pushes WHERE strpos(rendered, 'Canary') > 0 AND activity_id IN (
                    SELECT activity_id FROM activities WHERE delivery_id IS NULL)
                """
            #expect(try await !service.pool.query(summaries).isEmpty)
            for one in deliveries {
                #expect(try await Self.apply(one.ended, step: 1, service))
                try await service.reconcile()
            }
            for one in deliveries { _ = try await Self.erase(one.ended, service, mayWait: false) }
            try await service.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("Canary", on: service.pool) == [])
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

    @Test(
        "Intents of a live delivery that are on their way are waited for; afterwards those with the name come too late")
    func behind() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            var delivery = try Self.versions().underWay
            let withCanary = delivery
            _ = try delivery.apply(.courier(Self.noah), at: noon)
            let withNoah = delivery
            // Noah is to fetch the goods from the canary.
            let withoutCanary = withNoah.without(Self.erased)
            try #require(withoutCanary.version > withNoah.version)
            // Its placement alone has arrived.
            try await service.show(1, of: delivery.id)
            try await service.reconcile()
            #expect(try await Self.erase(withNoah, service).isWaiting)
            #expect(try await !Self.erase(withNoah, service, mayWait: false).isWaiting)
            for late in [withCanary, withNoah] { #expect(try await !Self.apply(late, step: 3, service)) }
            try await service.reconcile()
            try await service.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("Canary", on: service.pool) == [])
            // The lowest step of the version.
            #expect(try await Self.apply(withoutCanary, step: 0, service))
            try await service.reconcile()
            #expect(try await !tablesWith("Noah", on: service.pool).isEmpty)
            #expect(try await !Self.erase(withNoah, service).isWaiting)
        }
    }

    @Test("Cards of another courier's delivery stay as they are, for the same customer too")
    func others() async throws {
        try await DispatchUnderTest.run { service in
            let tables = ["activities", "cards", "device_events", "pushes"]
            try await service.register()
            let (ended, others) = (try Self.versions().ended, try Self.versions(of: Self.noah).underWay)
            for delivery in [ended, others] {
                #expect(try await Self.apply(delivery, step: 1, service))
                try await service.reconcile()
            }
            let before = try await rowsWith("Noah", in: tables, on: service.pool)
            #expect(Set(before.compactMap { $0.split(separator: " ").first.map(String.init) }) == Set(tables))
            #expect(try await !Self.erase(ended, service).isWaiting)
            #expect(try await rowsWith("Noah", in: tables, on: service.pool) == before)
        }
    }
}
