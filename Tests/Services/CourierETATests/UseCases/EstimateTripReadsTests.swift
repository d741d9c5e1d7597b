import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import CourierETA

@Suite("Reads for the estimates of a trip", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EstimateTripReadsTests {
    /// How often the transaction's session has read the table of deliveries from end to end.
    private static func scans(in transaction: PostgresTransaction) async throws -> Int {
        let rows = try await transaction.query(
            """
            SELECT seq_scan AS scans FROM pg_stat_xact_user_tables
            WHERE schemaname = current_schema() AND relname = 'deliveries'
            """)
        return try #require(try rows.first?.decode("scans", as: Int.self))
    }

    @Test("A door that is done is read once, however many deliveries are behind it")
    func doorDone() async throws {
        try await Harness.run { harness in
            var trip = try (0..<4).map {
                try Delivery.sample(in: .pickedUp, customer: "customer-\($0)", door: along(0.2 * Double($0 + 1)))
            }
            for index in trip.indices {
                if index > 0 { try trip[index].change(.stopsBefore(index), at: 0) }
                try await harness.parts.applyDeliveryChange(trip[index].changed(at: 0))
            }
            try trip[0].change(.status(.delivered, reason: nil), at: 670)
            harness.move(to: 670)
            try await harness.parts.applyDeliveryChange(trip[0].changed(at: 670))

            let (door, behind) = (trip[0].door, trip.dropFirst().map(\.id))
            let estimate = EstimateTrip(
                clock: harness.wall.domain, tracker: DeliveryTracker(), trackingMessages: TrackingMessages())
            try await harness.pool.withTransaction { transaction in
                // Without an index each statement reads the table from end to end once.
                try await transaction.batch([
                    "SET LOCAL enable_indexscan = off", "SET LOCAL enable_bitmapscan = off",
                    "SET LOCAL plan_cache_mode = force_custom_plan",
                ])
                let before = try await Self.scans(in: transaction)
                try await estimate(EstimateTrip.timer(of: mira.id, dueAt: start), in: transaction)
                let scans = try await Self.scans(in: transaction) - before
                // The courier's live deliveries, those to update, the one that is done, and a write of each behind it.
                #expect(scans == 3 + behind.count)
                let known = try await DeliveryRepository.deliveries(behind, on: transaction)
                #expect(known.count == behind.count)
                #expect(known.values.allSatisfy { $0.tracking.wayOrigin == door })
            }
        }
    }
}
