import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import CourierETA

@Suite("Couriers that expire", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ExpiredCouriersTests {
    @Test("A courier goes 90 days after the last position, and is known again by the next; not with a live delivery")
    func expires() async throws {
        try await Harness.run { harness in
            func couriers() async throws -> Int {
                try await harness.pool.query("SELECT count(*) AS count FROM couriers")[0].decode("count")
            }
            harness.move(to: 900)
            _ = try await harness.parts.ingestFixes(ride(from: 0, until: 1), of: mira.id)
            try await harness.retention.delete(at: seconds(89.9 * 86_400))
            #expect(try await couriers() == 1)
            try await harness.retention.delete(at: seconds(90.1 * 86_400))
            #expect(try await couriers() == 0)

            // The process remembers the courier, whose row is deleted, as is the day of the fixes.
            try await FixRepository.createPartition(of: start, on: harness.pool)
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 910)
            let fix = Fix(time: seconds(905), place: along(0.1), accuracy: 10, speed: 3.2)
            #expect(try await harness.parts.ingestFixes([fix], of: mira.id).accepted == 1)
            #expect(try await couriers() == 1)
            try await harness.retention.delete(at: seconds(95 * 86_400))
            #expect(try await couriers() == 1)
        }
    }

    @Test("A deletion that fails keeps no other row past its time, and its failure is thrown")
    func failedDeletion() async throws {
        try await Harness.run { harness in
            harness.move(to: 900)
            _ = try await harness.parts.ingestFixes(ride(from: 0, until: 1), of: mira.id)
            try await harness.pool.execute("ALTER TABLE duties RENAME TO duties_elsewhere")
            let error = await #expect(throws: PostgresError.self) {
                try await harness.retention.delete(at: seconds(90.1 * 86_400))
            }
            #expect(error?.sqlState == "42P01")
            let left = try await harness.pool.query("SELECT FROM couriers").count
            #expect(left == 0)
        }
    }
}
