import DeliverySamples
import Foundation
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Desk

@Suite("Couriers that are erased at the desk", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EraseCourierTests {
    @Test("An operator's note about a delivery loses the courier's name, and keeps the rest")
    func notes() async throws {
        try await DeskUnderTest.run { desk, _ in
            let delivery = SampleDeliveries.whole([.override(.cancelled, reason: "a test")])
            try await desk.pool.execute(
                """
                INSERT INTO triage (delivery_id, note, changed_by, changed_at, version)
                VALUES (\(delivery.id.rawValue), 'Canary Holm called: the bell is broken', 'ada', now(), 1)
                """)
            let erased = ErasedCourier(
                id: try #require(CourierID(rawValue: "canary-1")), pseudonym: CourierID(pseudonym: UUID()),
                names: ["Canary Holm"], phones: [])
            let request = CourierErasureRequest(
                request: UUID(), part: "", courier: erased,
                deliveries: [
                    DeliveryChanged(
                        delivery: delivery, links: [], cause: "erased", changedAt: delivery.placedAt)
                ], requestedAt: delivery.placedAt, isLast: true, keepsCourier: false, mayWait: true)
            let erase = EraseCourier(pool: desk.pool)
            let receipt = try await erase(request)
            #expect(receipt.rows == ["triage": 1])
            #expect(try await erase(request) == receipt)
            #expect(try await tablesWith("Canary", on: desk.pool) == [])
            #expect(try await tablesWith("called: the bell is broken", on: desk.pool) == ["triage"])
        }
    }
}
