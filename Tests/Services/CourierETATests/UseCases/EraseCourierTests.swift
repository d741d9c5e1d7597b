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

    @Test("Positions of other couriers stay on every day, and those of the courier are counted")
    func days() async throws {
        try await Harness.run { harness in
            for day in 0..<3 {
                let date = start.addingTimeInterval(-86_400 * Double(day))
                try await FixRepository.createPartition(of: date, on: harness.pool)
                // The couriers' rows are at the same places of different partitions.
                let couriers = day == 1 ? [noah.id, Self.canary.id] : [Self.canary.id, noah.id]
                for courier in couriers {
                    try await harness.pool.execute(
                        """
                        INSERT INTO fixes (courier_id, fixed_at, latitude, longitude, received_at)
                        SELECT \(courier), \(date)::timestamptz + make_interval(secs => second), 55, 12, \(date)
                        FROM generate_series(0, 3) AS second
                        """)
                }
            }
            let others = try await rowsWith("noah", in: ["fixes"], on: harness.pool)
            #expect(others.count == 12)
            let receipt = try await Self.eraser(harness).erase(Self.request([]))
            #expect(receipt.rows["fixes"] == 12)
            #expect(try await rowsWith("noah", in: ["fixes"], on: harness.pool) == others)
            #expect(try await rowsWith("canary", in: ["fixes"], on: harness.pool) == [])
        }
    }

    @Test("Another courier keeps everything")
    func others() async throws {
        try await Harness.run { harness in
            let tables = ["couriers", "deliveries", "duties", "fixes", "map_exemptions", "phones", "completed_legs"]
            let (erase, phones, manage) = Self.eraser(harness)
            let (underWay, ended) = try Self.delivered()
            var others = try Delivery.sample()
            try others.change(.courier(noah), at: 0)
            try others.change(.override(.pickedUp, reason: "test"), at: 0)
            for delivery in [underWay, others] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            let number = CompletedDelivery.number(of: noah.id)
            try await harness.pool.execute(
                """
                INSERT INTO completed_legs (completed_on, format, leg)
                VALUES ('2026-11-21', 1, jsonb_build_object('courier', \(number)::bigint, 'of', 'noah'))
                """)
            var token: PhoneToken?
            for courier in [Self.canary, noah] {
                _ = try await harness.parts.ingestFixes(ride(from: 0, until: 0.1), of: courier.id)
                token = try await manage.enrol(
                    nil, label: "\(courier.id)'s", of: courier.id, by: "courier \(courier.id)"
                ).token
                try await ManageDuty(pool: harness.pool, clock: harness.wall.domain)
                    .begin(of: courier.id, until: nil, by: "courier \(courier.id)")
                try await ExemptFromMap(pool: harness.pool, clock: harness.wall.domain)
                    .set(isShown: false, of: courier.id, by: "courier \(courier.id)")
            }
            try await harness.parts.applyDeliveryChange(ended.changed(at: 60))
            let before = try await rowsWith("noah", in: tables, on: harness.pool)
            #expect(Set(before.compactMap { $0.split(separator: " ").first.map(String.init) }) == Set(tables))
            harness.move(to: 100)
            #expect(try await erase(Self.request([ended])).isWaiting)
            harness.move(to: 130)
            #expect(try await !erase(Self.request([ended])).isWaiting)
            #expect(try await rowsWith("noah", in: tables, on: harness.pool) == before)
            #expect(try await phones.phone(try #require(token))?.revokedAt == nil)
        }
    }

    @Test("A courier who was given the id since keeps their timer and their dead letters", arguments: [true, false])
    func timers(keepsCourier: Bool) async throws {
        try await Harness.run { harness in
            try await harness.pool.execute(
                """
                INSERT INTO timers (kind, key, due_at, payload)
                VALUES (\(EstimateTrip.kind), \(Self.canary.id), \(seconds(200)), '')
                """)
            for (error, hours) in [("old", -1), ("new", 1)] {
                try await harness.pool.execute(
                    """
                    INSERT INTO dead_letters (origin, subject, message_id, payload, headers, error, attempts,
                        occurred_at)
                    VALUES ('message', 'deliveries', \(error), convert_to('{"courier":"canary-1"}', 'UTF8'), '{}',
                        \(error), 1, now() + make_interval(hours => \(hours)::integer))
                    """)
            }
            _ = try await Self.eraser(harness).erase(Self.request([], keepsCourier: keepsCourier))
            let left = try await harness.pool.query("SELECT error FROM dead_letters")
                .map { try $0.decode("error", as: String.self) }
            #expect(left == (keepsCourier ? ["new"] : []))
            let timers = try await harness.pool.query("SELECT FROM timers WHERE kind = \(EstimateTrip.kind)")
            #expect(timers.count == (keepsCourier ? 1 : 0))
        }
    }
}
