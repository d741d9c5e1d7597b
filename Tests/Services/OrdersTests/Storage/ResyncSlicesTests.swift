import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import Orders

@Suite("Pages of the resync of orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ResyncSlicesTests {
    /// Live deliveries, and some that ended one hour, one day and so on ago.
    private func fill(_ pool: PostgresPool, endedAgo hours: [Int], live: Int, ended: Int) async throws {
        try await pool.execute(
            """
            INSERT INTO orders (order_id, reference, customer_id, store_id, placed_at, snapshot)
            VALUES ('order', 'G-1', 'mira', 'nordhavn', \(OrdersUnderTest.start), '{}')
            """)
        try await pool.execute(
            """
            INSERT INTO deliveries (delivery_id, order_id, bag_number, customer_id, store_id, status, courier_status,
                flags, version, promise_end, ended_at, snapshot)
            SELECT gen_random_uuid()::text, 'order', n, 'mira', 'nordhavn',
                CASE WHEN ago IS NULL THEN 'picking' ELSE 'delivered' END,
                CASE WHEN ago IS NULL THEN 'unassigned' END, '{}', 1, \(OrdersUnderTest.start),
                \(OrdersUnderTest.start)::timestamptz - make_interval(hours => ago), '{}'
            FROM (SELECT NULL::integer AS ago, generate_series(1, \(live)) AS n
                UNION ALL SELECT ago, generate_series(1, \(ended)) FROM unnest(\(hours)::integer[]) AS ago) AS rows
            """)
        try await pool.execute("ANALYZE deliveries")
    }

    @Test(
        "A page reads no row that it does not return, however many ended long ago; each row is in one page",
        arguments: [(RepublishSlice.Ends.recent, 9_000), (RepublishSlice.Ends.older, 6_000)])
    func reads(_ ends: RepublishSlice.Ends, count: Int) async throws {
        try await OrdersUnderTest.run { orders, _ in
            try await fill(orders.pool, endedAgo: [1, 12, 24, 48, 480, 960], live: 3_000, ended: 3_000)
            var ids: [String] = []
            for slice in RepublishSlice.all {
                let reads = try await PageReads(
                    of: RepublishSlice(slice.number, ends: ends), through: "deliveries_by_slice", rowsMax: 20,
                    on: orders.pool
                ) { OrderRepository.republishableRows(of: $0, rowsMax: 20, at: OrdersUnderTest.start) }
                #expect(reads.faultyPlans.isEmpty, "\(reads.faultyPlans.first ?? "")")
                ids += reads.ids
            }
            #expect(ids.count == count && Set(ids).count == count)
        }
    }

    @Test("A live delivery is changed in place")
    func inPlace() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await orders.place(client, try orders.body()).deliveries[0].id.rawValue
            try await orders.pool.withTransaction { transaction in
                try await transaction.execute(
                    "UPDATE deliveries SET version = version + 1, ended_at = NULL, snapshot = snapshot WHERE delivery_id = \(id)"
                )
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
