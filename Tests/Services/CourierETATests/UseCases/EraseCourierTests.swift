import ArrivalEstimate
import DomainTime
import DoorstepAPI
import Foundation
import Logging
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import CourierETA

@Suite("Couriers that are erased", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EraseCourierTests {
    private static let canary = Courier(
        id: CourierID(rawValue: "canary-1").unsafelyUnwrapped, name: "Canary Holm", vehicle: .car, phone: "+4599887766")
    private static let erased = ErasedCourier(
        id: canary.id, pseudonym: CourierID(pseudonym: UUID()), names: [canary.name], phones: ["+4599887766"])

    private static func request(
        _ deliveries: [Delivery], part: UUID = UUID(), isLast: Bool = true, keepsCourier: Bool = false,
        isQuestion: Bool = false, requestedAt: Date = seconds(100), mayWait: Bool = true
    ) -> CourierErasureRequest {
        CourierErasureRequest(
            request: part, part: "", courier: erased,
            deliveries: deliveries.map {
                DeliveryChanged(
                    delivery: $0.without(erased), links: [], cause: "erased", changedAt: $0.endedAt ?? start)
            }, requestedAt: requestedAt, isLast: isLast, keepsCourier: keepsCourier, mayWait: mayWait,
            isQuestion: isQuestion)
    }

    private static func eraser(_ harness: Harness) -> (erase: EraseCourier, phones: PhoneCache, manage: ManagePhones) {
        let phones = PhoneCache(pool: harness.pool, clock: harness.wall.domain, logger: Logger(label: "test"))
        return (
            harness.parts.eraseCourier(phones), phones,
            ManagePhones(pool: harness.pool, clock: harness.wall.domain, cache: phones)
        )
    }

    /// A delivery of the canary: under way, then delivered.
    private static func delivered() throws -> (underWay: Delivery, ended: Delivery) {
        var delivery = try Delivery.sample()
        try delivery.change(.courier(canary), at: 0)
        try delivery.change(.override(.pickedUp, reason: "test"), at: 0)
        let underWay = delivery
        try delivery.change(.override(.delivered, reason: "Canary Holm called"), at: 60)
        return (underWay, delivery)
    }

    @Test("Phones are refused first, then nothing of the courier is left, and late messages bring nothing back")
    func erased() async throws {
        try await Harness.run { harness in
            let (underWay, ended) = try Self.delivered()
            try await harness.parts.applyDeliveryChange(underWay.changed(at: 0))
            _ = try await harness.parts.ingestFixes(ride(from: 0, until: 0.1), of: Self.canary.id)
            try await harness.parts.applyDeliveryChange(ended.changed(at: 60))
            // Where the courier rode, as it is stored while they are under way.
            try await harness.pool.execute(
                """
                UPDATE deliveries SET tracking = tracking || jsonb_build_object(
                    'lastFixAt', tracking->'legStartedAt', 'legOrigin', snapshot->'delivery'->'door')
                """)
            let ridden = try #require(try await DeliveryRepository.delivery(ended.id, on: harness.pool)).tracking
            #expect(ridden.legOrigin != nil && ridden.lastFixAt != nil)
            let (erase, phones, manage) = Self.eraser(harness)
            let enrolled = try await manage.enrol(
                nil, label: "canary's phone", of: Self.canary.id, by: "courier canary-1")
            let duty = ManageDuty(pool: harness.pool, clock: harness.wall.domain)
            try await duty.begin(of: Self.canary.id, until: nil, by: "courier canary-1")
            try await ExemptFromMap(pool: harness.pool, clock: harness.wall.domain)
                .set(isShown: false, of: Self.canary.id, by: "courier canary-1")
            let number = CompletedDelivery.number(of: Self.canary.id)
            try await harness.pool.execute(
                """
                INSERT INTO completed_legs (completed_on, format, leg)
                VALUES ('2026-11-21', 1, jsonb_build_object('courier', \(number)::bigint))
                """)
            #expect(
                Set(try await tablesWith("canary", on: harness.pool)).isSuperset(of: [
                    "couriers", "deliveries", "duties", "map_exemptions", "phones",
                ]))
            #expect(try await erase(Self.request([], isQuestion: true)).onDutyUntil != nil)

            harness.move(to: 100)
            let request = Self.request([ended])
            // A part without deliveries has the phones refused, and waits for nothing.
            #expect(try await !erase(Self.request([], isLast: false)).isWaiting)
            #expect(try await phones.phone(enrolled.token)?.revokedAt != nil)
            #expect(try await erase(request).isWaiting)
            // Also where cards would not be waited for any more.
            #expect(try await erase(Self.request([ended], mayWait: false)).isWaiting)
            #expect(try await !harness.pool.query("SELECT FROM fixes").isEmpty)
            harness.move(to: 130)
            let receipt = try await erase(request)
            for table in ["couriers", "deliveries", "duties", "fixes", "map_exemptions", "phones", "completed_legs"] {
                #expect(receipt.rows[table] ?? 0 > 0, "\(table)")
            }
            #expect(try await erase(request) == receipt)
            try await harness.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("canary", on: harness.pool) == [])
            #expect(try await tablesWith("\(number)", on: harness.pool) == [])
            #expect(try await erase(Self.request([], isQuestion: true)).onDutyUntil == nil)

            for late in [underWay.changed(at: 0), ended.changed(at: 60)] {
                #expect(try await !harness.parts.applyDeliveryChange(late))
            }
            let positions = IngestPosition(
                pool: harness.pool, clock: harness.wall.domain,
                ingest: IngestFixes.groupCommit { try await harness.parts.ingestFixes($0) })
            for courier in [nil, Self.canary.id] {
                let position = ProviderPosition(
                    delivery: ended.id, courier: courier, coordinate: doorPlace, at: seconds(125))
                for outcome in await positions([position]) { try outcome.get() }
            }
            _ = try await harness.parts.republishAll(on: harness.pool)
            #expect(try await tablesWith("canary", on: harness.pool) == [])
            let known = try #require(try await DeliveryRepository.delivery(ended.id, on: harness.pool))
            #expect(known.delivery.courier?.id == Self.erased.pseudonym && known.delivery.version == ended.version + 1)
            #expect(known.delivery.customer == ended.customer && !known.change.links.isEmpty)
            #expect(known.tracking.legOrigin == nil && known.tracking.lastFixAt == nil)
            #expect(try await harness.pool.query("SELECT FROM fixes").isEmpty)
        }
    }

    @Test("A late message of a delivery that was unknown until the erasure brings the courier not here")
    func unknown() async throws {
        try await Harness.run { harness in
            let (underWay, ended) = try Self.delivered()
            harness.move(to: 130)
            #expect(try await Self.eraser(harness).erase(Self.request([ended])).rows["deliveries"] == 1)
            for late in [underWay.changed(at: 0), ended.changed(at: 60)] {
                #expect(try await !harness.parts.applyDeliveryChange(late))
            }
            #expect(try await tablesWith("canary", on: harness.pool) == [])
        }
    }

    @Test("A courier who was given the id since keeps their phone and positions")
    func again() async throws {
        try await Harness.run { harness in
            _ = try await harness.parts.ingestFixes(ride(from: 0, until: 0.05), of: Self.canary.id)
            let (erase, _, manage) = Self.eraser(harness)
            harness.move(to: 200)
            _ = try await manage.enrol(nil, label: "new", of: Self.canary.id, by: "operator ada")
            _ = try await harness.parts.ingestFixes(ride(from: 180, until: 0.02), of: Self.canary.id)
            let before = try await harness.pool.query("SELECT FROM fixes WHERE fixed_at > \(seconds(100))").count
            #expect(before > 0)
            #expect(try await !erase(Self.request([], keepsCourier: true)).isWaiting)
            let fixes = try await harness.pool.query("SELECT FROM fixes WHERE courier_id = \(Self.canary.id)").count
            #expect(fixes == before)
            let phones = try await manage.phones(of: Self.canary.id)
            #expect(phones.map(\.label) == ["new"] && phones.allSatisfy { $0.revokedAt == nil })
        }
    }
}
