import DeliverySamples
import Foundation
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Desk

@Suite("Customers that are erased at the desk", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ErasePersonTests {
    @Test("An operator's note about an erased customer's delivery goes, once, and others stay")
    func notes() async throws {
        try await DeskUnderTest.run { desk, _ in
            let delivery = SampleDeliveries.whole([.override(.cancelled, reason: "a test")])
            let other = UUID().uuidString.lowercased()
            for (id, note) in [(delivery.id.rawValue, "canary called"), (other, "the bell is broken")] {
                try await desk.pool.execute(
                    """
                    INSERT INTO triage (delivery_id, note, changed_by, changed_at, version)
                    VALUES (\(id), \(note), 'ada', now(), 1)
                    """)
            }
            let pseudonym = try #require(CustomerID(rawValue: "erased-1"))
            let request = ErasureRequest(
                request: UUID(), part: "", customer: delivery.customer, pseudonym: pseudonym, orders: [delivery.order],
                deliveries: [
                    DeliveryChanged(
                        delivery: delivery.erased(as: pseudonym), links: [], cause: "erased",
                        changedAt: delivery.placedAt)
                ], isLast: true, mayWait: true)
            let erase = ErasePerson(pool: desk.pool)
            let receipt = try await erase(request)
            #expect(receipt.rows == ["triage": 1])
            #expect(try await erase(request) == receipt)
            #expect(try await tablesWith("canary", on: desk.pool) == [])
            #expect(try await tablesWith("the bell is broken", on: desk.pool) == ["triage"])
        }
    }
}
