import Foundation
import Logging
import Messages
import OrderDomain
import PostgresClient
import StackClient
import TestSupport
import Testing
import TextCoding

@testable import DoorstepAdmin

@Suite("Erased persons of a restored database", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ErasureListTests {
    /// The columns that the list reads, of the services' tables.
    private static let tables: [SQL] = [
        "CREATE SCHEMA orders", "CREATE SCHEMA courier_eta", "CREATE SCHEMA activity_dispatch",
        "CREATE TABLE orders.orders (order_id text, customer_id text, placed_at timestamptz)",
        """
        CREATE TABLE orders.deliveries
            (delivery_id text, order_id text, customer_id text NOT NULL, courier_id text, snapshot jsonb NOT NULL)
        """,
        "CREATE TABLE orders.timeline (changed_by text NOT NULL, reversal jsonb)",
        "CREATE TABLE orders.couriers (courier_id text, described_at timestamptz)",
        "CREATE TABLE orders.store_couriers (courier_id text, described_at timestamptz)",
        "CREATE TABLE orders.courier_presses (courier_id text)",
        "CREATE TABLE orders.courier_links (courier_id text)",
        "CREATE TABLE courier_eta.deliveries (customer_id text NOT NULL, courier_id text, courier_since timestamptz)",
        "CREATE TABLE courier_eta.couriers (courier_id text)",
        "CREATE TABLE courier_eta.phones (courier_id text)",
        "CREATE TABLE courier_eta.duties (courier_id text, began_at timestamptz)",
        "CREATE TABLE courier_eta.map_exemptions (courier_id text)",
        "CREATE TABLE activity_dispatch.customers (customer_id text)",
        "CREATE SCHEMA desk", "CREATE SCHEMA partners",
        "CREATE TABLE orders.personal_reads (customers text[] NOT NULL, couriers text[] NOT NULL)",
        "CREATE TABLE courier_eta.personal_reads (customers text[] NOT NULL, couriers text[] NOT NULL)",
        "CREATE TABLE activity_dispatch.personal_reads (customers text[] NOT NULL, couriers text[] NOT NULL)",
        "CREATE TABLE desk.personal_reads (customers text[] NOT NULL, couriers text[] NOT NULL)",
        "CREATE TABLE partners.personal_reads (customers text[] NOT NULL, couriers text[] NOT NULL)",
    ]

    private static let erasedAt = Date(timeIntervalSince1970: 1_795_280_400)

    private func withTables(_ body: (PostgresPool) async throws -> Void) async throws {
        try await withDatabase { configuration in
            let pool = PostgresPool(configuration, logger: Logger(label: "test"))
            try await withTeardown({ await pool.shutDown() }) {
                for table in Self.tables { try await pool.execute(table) }
                try await body(pool)
            }
        }
    }

    @Test("Persons of the list are found among more than a page of others, older and newer, wherever they are named")
    func known() async throws {
        let hash = try #require(KeyedHash(keys: [1: Array(repeating: 5, count: 32)], current: 1))
        try await withTables { pool in
            let later = Self.erasedAt.addingTimeInterval(1)
            let rows: [SQL] = [
                """
                INSERT INTO orders.deliveries (order_id, customer_id, snapshot)
                SELECT 'o', 'c' || number, '{}' FROM generate_series(1, \(ErasureList.pageMax + 1)::integer) AS number
                """,
                "INSERT INTO orders.orders (customer_id, placed_at) VALUES ('c2', \(later))",
                "INSERT INTO activity_dispatch.customers VALUES ('mette')",
                """
                INSERT INTO orders.deliveries (order_id, customer_id, courier_id, snapshot)
                VALUES ('o', 'c1', 'carrying', '{"fetchedFrom": {"id": "fetched"}, "brokenDownCourier": "broken"}')
                """,
                """
                INSERT INTO orders.timeline (changed_by, reversal) VALUES ('courier acting', NULL),
                    ('operator ada', '{"courier": {"value": {"id": "former"}}}'), ('courier unlisted', NULL)
                """,
                "INSERT INTO courier_eta.duties VALUES ('driving', \(later))",
                """
                INSERT INTO orders.deliveries (order_id, customer_id, snapshot) VALUES
                    ('o', 'c3', '{"proof": {"given": [{"kind": "age", "by": "courier proving"}], "former":
                        [{"kind": "photo", "by": "courier proven"}, {"kind": "photo", "by": "operator ada"}]}}'),
                    ('o', 'c4', '{"courierReports": {"assignment": {"courier": "reported"}, "progress": {"rank": 1}}}')
                """,
                "INSERT INTO desk.personal_reads VALUES ('{read, c5}', '{seen}'), ('{}', '{}')",
            ]
            for row in rows { try await pool.execute(row) }
            let couriers = [
                "carrying", "fetched", "broken", "acting", "former", "driving", "proving", "proven", "reported", "seen",
                "elsewhere",
            ]
            let customers = ["c1", "c2", "mette", "read", "gone"]
            let hashes = customers.map { hash($0) } + couriers.map { hash("courier/\($0)") }
            let list = hashes.map { ListedErasure(person: $0, erasedAt: Self.erasedAt) }

            let known = try await ErasureList(pool: pool).known(list, by: hash)
            let texts = known.map { person in
                switch person.person {
                case .customer(let id): "\(id) \(person.isOlder)"
                case .courier(let id): "courier \(id) \(person.isOlder)"
                }
            }
            #expect(
                Set(texts) == [
                    "c1 true", "c2 false", "mette true", "read true", "courier carrying true", "courier fetched true",
                    "courier broken true", "courier acting true", "courier former true", "courier driving false",
                    "courier proving true", "courier proven true", "courier reported true", "courier seen true",
                ])
            #expect(known.count == 14)
        }
    }

    @Test("Each table is read once, however many pages of persons there are")
    func tablesReadOnce() async throws {
        try await withTables { pool in
            for (query, tables) in [
                (ErasureList.customers, ["orders.deliveries", "courier_eta.deliveries"]),
                (ErasureList.couriers, ["orders.deliveries", "courier_eta.deliveries", "orders.timeline"]),
            ] {
                let plan = try await pool.query("EXPLAIN (VERBOSE, COSTS OFF) \(sql: query)")
                    .map { try $0.decode("QUERY PLAN", as: String.self) }
                for table in tables {
                    let scans = plan.filter { $0.contains("Scan on \(table)") }.count
                    #expect(scans == 1, "\(table): \(plan.joined(separator: "\n"))")
                }
            }
        }
    }

    @Test("A command reads whole tables without a statement time-out, whatever the services' is")
    func timeout() async throws {
        let environment = ["DATABASE_URL": "postgres://owner@127.0.0.1/doorstep", "ENVIRONMENT": "test"]
        let stack = try await Stack(environment: environment)
        #expect(try stack.postgres().statementTimeout == nil)
    }
}
