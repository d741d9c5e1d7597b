import DeliverySamples
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
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

    private static let erased = ErasedCourier(
        id: CourierID(rawValue: "canary-1").unsafelyUnwrapped, pseudonym: CourierID(pseudonym: UUID()),
        names: ["Canary Holm"], phones: [])
    private static let requestedAt = Date(timeIntervalSince1970: 1_795_284_000)

    private static func last(keepsCourier: Bool) -> CourierErasureRequest {
        CourierErasureRequest(
            request: UUID(), part: "", courier: erased, deliveries: [], requestedAt: requestedAt, isLast: true,
            keepsCourier: keepsCourier, mayWait: true)
    }

    private static func read(after seconds: Double, on pool: PostgresPool) async throws {
        let at = requestedAt.addingTimeInterval(seconds)
        try await pool.execute(
            """
            INSERT INTO personal_reads (personal_read_id, read_at, last_read_at, role, reader, subject, operation, kind,
                customers, deliveries, couriers, reads, objects)
            VALUES (gen_random_uuid(), \(at), \(at), 'operator', 'ada', 'ada', 'listCouriers', 'courier', '{}', '{}',
                ARRAY[\(erased.id.rawValue)::text], 1, 1)
            """)
    }

    private static func couriersOfReads(on pool: PostgresPool) async throws -> [[String]] {
        try await pool.query("SELECT couriers FROM personal_reads ORDER BY read_at").map { try $0.decode("couriers") }
    }

    @Test("A read that is recorded while the rows are being erased has the pseudonym, and a repeat the same receipt")
    func reads() async throws {
        try await DeskUnderTest.run { desk, _ in
            let (pool, request) = (desk.pool, Self.last(keepsCourier: false))
            try await Self.read(after: -60, on: pool)
            func erase() async throws -> ErasureReceipt {
                try await PersonalReadLog.erasing(.courier, of: request, on: pool) { _ in
                    try await Self.read(after: 60, on: pool)
                }
            }
            let receipt = try await erase()
            #expect(receipt.rows == ["personal_reads": 1])
            let pseudonym = Self.erased.pseudonym.rawValue
            #expect(try await Self.couriersOfReads(on: pool) == [[pseudonym], [pseudonym]])
            #expect(try await erase() == receipt)
        }
    }

    @Test("Reads about a courier who was given the id since keep it")
    func readsSince() async throws {
        try await DeskUnderTest.run { desk, _ in
            for seconds in [-60.0, 60] { try await Self.read(after: seconds, on: desk.pool) }
            let receipt = try await EraseCourier(pool: desk.pool)(Self.last(keepsCourier: true))
            #expect(receipt.rows == ["personal_reads": 1])
            #expect(
                try await Self.couriersOfReads(on: desk.pool)
                    == [[Self.erased.pseudonym.rawValue], [Self.erased.id.rawValue]])
        }
    }
}
