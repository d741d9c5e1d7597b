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
