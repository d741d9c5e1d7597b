import Foundation
import Logging
import PostgresClient
import TestSupport
import Testing

@testable import DoorstepAdmin

@Suite("Readable personal data in a database", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct StackSchemasTests {
    @Test("The deliveries of the orders that changed last are read, and no older ones")
    func newest() async throws {
        try await withDatabase { configuration in
            let pool = PostgresPool(configuration, logger: Logger(label: "test"))
            try await withTeardown({ await pool.shutDown() }) {
                let schemas = StackSchemas(pool: pool)
                try await pool.execute("CREATE SCHEMA orders")
                let before = try await schemas.hasReadablePersonalData()
                #expect(!before, "there are no tables")
                let tables: [SQL] = [
                    "CREATE TABLE orders.orders (order_id text, placed_at timestamptz, changed_at timestamptz)",
                    "CREATE TABLE orders.deliveries (order_id text, drop_off jsonb, snapshot jsonb)",
                    "CREATE TABLE orders.couriers (snapshot jsonb)",
                    "CREATE TABLE orders.store_couriers (snapshot jsonb)",
                    """
                    INSERT INTO orders.orders (order_id, placed_at)
                    SELECT number::text, to_timestamp(number)
                    FROM generate_series(1, \(StackSchemas.probedOrders + 1)::integer) AS number
                    """,
                    """
                    INSERT INTO orders.deliveries (order_id, drop_off, snapshot)
                    SELECT order_id, CASE order_id WHEN '1' THEN '{"note": "canary"}' ELSE '"1:sealed"' END::jsonb, '{}'
                    FROM orders.orders
                    """,
                ]
                for table in tables { try await pool.execute(table) }
                let old = try await schemas.hasReadablePersonalData()
                #expect(!old, "the oldest order is not among the newest")
                try await pool.execute("UPDATE orders.orders SET changed_at = now() WHERE order_id = '1'")
                let changed = try await schemas.hasReadablePersonalData()
                #expect(changed)
            }
        }
    }
}
