import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import CourierETA

@Suite("Customers that are erased", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ErasePersonTests {
    private static let customer = CustomerID(rawValue: "canary").unsafelyUnwrapped
    private static let pseudonym = CustomerID(rawValue: "erased-1").unsafelyUnwrapped

    private static func request(_ deliveries: [DeliveryChanged], part: String = "") -> ErasureRequest {
        ErasureRequest(
            request: UUID(), part: part, customer: customer, pseudonym: pseudonym,
            orders: deliveries.map(\.delivery.order),
            deliveries: deliveries.map { change in
                DeliveryChanged(
                    delivery: change.delivery.erased(as: pseudonym), links: [], cause: "erased",
                    changedAt: change.changedAt)
            }, isLast: true, mayWait: true)
    }

    @Test("A late message of an erased delivery brings nothing back, known before or not", arguments: [true, false])
    func late(isKnown: Bool) async throws {
        try await Harness.run { harness in
            var delivery = try Delivery.sample(in: .enRoute, customer: Self.customer.rawValue)
            let underWay = delivery.changed(at: 10)
            try delivery.change(.override(.delivered, reason: "canary"), at: 60)
            let ended = delivery.changed(at: 60)
            if isKnown {
                try await harness.parts.applyDeliveryChange(underWay)
                try await harness.pool.execute("DELETE FROM outbox")
                #expect(try await tablesWith("canary", on: harness.pool) == ["deliveries"])
            }
            let receipt = try await harness.parts.erasePerson(Self.request([ended]))
            #expect(receipt.rows["deliveries"] == 1)
            #expect(try await tablesWith("canary", on: harness.pool) == [])

            for late in [underWay, ended] { #expect(try await !harness.parts.applyDeliveryChange(late)) }
            #expect(try await tablesWith("canary", on: harness.pool) == [])
            #expect(try await harness.published().isEmpty)
        }
    }

    @Test(
        "The door of an erased customer is in no row of another delivery of the trip, live or ended",
        arguments: [false, true])
    func door(hasOtherEnded: Bool) async throws {
        try await Harness.run { harness in
            let door = try #require(Coordinate(latitude: 55.698317, longitude: 12.594271))
            var erased = try Delivery.sample(in: .enRoute, customer: Self.customer.rawValue, door: door)
            var other = try Delivery.sample(in: .enRoute)
            for delivery in [erased, other] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            harness.move(to: 20)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(15), place: along(0.1), accuracy: 10, speed: 3)], of: mira.id)
            let tracked = try #require(try await DeliveryRepository.delivery(other.id, on: harness.pool))
            #expect(tracked.tracking.otherStops?.contains(door) == true)

            try erased.change(.override(.delivered, reason: "test"), at: 60)
            try await harness.parts.applyDeliveryChange(erased.changed(at: 60))
            if hasOtherEnded {
                try other.change(.override(.delivered, reason: "test"), at: 60)
                try await harness.parts.applyDeliveryChange(other.changed(at: 60))
            }
            // As 0.32 left an ended one too.
            try await harness.pool.execute(
                """
                UPDATE deliveries SET tracking = tracking || jsonb_build_object('wayOrigin', gone.door,
                    'otherStops', coalesce(tracking->'otherStops', '[]') || gone.door)
                FROM (
                    SELECT snapshot->'delivery'->'door' AS door FROM deliveries WHERE delivery_id = \(erased.id)
                ) AS gone
                WHERE delivery_id = \(other.id)
                """)
            _ = try await harness.parts.erasePerson(Self.request([erased.changed(at: 60)]))
            try await harness.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("55.698317", on: harness.pool) == [])
            let known = try #require(try await DeliveryRepository.delivery(other.id, on: harness.pool))
            #expect(known.tracking.otherStops == (hasOtherEnded ? [] : [storePlace]))
        }
    }

    @Test("A resync of an erased delivery has its pseudonym, and a repeated part has its receipt")
    func resync() async throws {
        try await Harness.run { harness in
            let delivery = try Delivery.sample(in: .delivered, at: 60, customer: Self.customer.rawValue)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 60))
            let request = Self.request([delivery.changed(at: 60)])
            let receipt = try await harness.parts.erasePerson(request)
            #expect(try await harness.parts.erasePerson(request) == receipt)
            try await harness.pool.execute("DELETE FROM outbox")
            _ = try await harness.parts.republishAll(on: harness.pool)
            #expect(try await tablesWith("canary", on: harness.pool) == [])
            let known = try #require(try await DeliveryRepository.delivery(delivery.id, on: harness.pool))
            #expect(known.delivery.customer == Self.pseudonym && known.delivery.version == delivery.version)
        }
    }
}
