import Foundation
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import CourierETA

@Suite("Pages of the resync of courier-eta", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ResyncSlicesTests {
    @Test("A page reads no row that it does not return, however many ended long ago; a live row is changed in place")
    func reads() async throws {
        try await Harness.run { harness in
            try await harness.pool.execute(
                """
                INSERT INTO deliveries (delivery_id, version, customer_id, ended_at, snapshot, tracking)
                SELECT gen_random_uuid()::text, 1, 'mira',
                    \(start)::timestamptz - make_interval(hours => ago), '{}', '{}'
                FROM (SELECT unnest(ARRAY[NULL, 1, 12, 24, 48, 480]) AS ago) AS ends, generate_series(1, 3000)
                """)
            try await harness.pool.execute("ANALYZE deliveries")
            var ids: [String] = []
            for slice in RepublishSlice.all {
                let reads = try await PageReads(
                    of: slice, through: "deliveries_by_slice", rowsMax: 20, on: harness.pool
                ) { DeliveryRepository.republishableRows(of: $0, rowsMax: 20, at: start) }
                #expect(reads.faultyPlans.isEmpty, "\(reads.faultyPlans.first ?? "")")
                ids += reads.ids
            }
            #expect(ids.count == 9_000 && Set(ids).count == 9_000)

            try await harness.pool.withTransaction { transaction in
                try await transaction.execute(
                    """
                    UPDATE deliveries SET step = step + 1, ended_at = NULL WHERE ctid = (
                        SELECT max(ctid) FROM deliveries WHERE ended_at IS NULL)
                    """)
                let rows = try await transaction.query(
                    """
                    SELECT n_tup_hot_upd AS hot FROM pg_stat_xact_user_tables
                    WHERE schemaname = current_schema() AND relname = 'deliveries'
                    """)
                #expect(try rows.first?.decode("hot", as: Int.self) == 1)
            }
        }
    }
}
