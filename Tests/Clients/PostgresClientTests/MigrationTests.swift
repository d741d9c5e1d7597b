import TestSupport
import Testing

@testable import PostgresClient

@Suite("Migrations", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct MigrationTests {
    private let first = Migration(
        number: 1, name: "orders", sql: "CREATE TABLE orders (v int); INSERT INTO orders VALUES (1);")
    private let second = Migration(number: 2, name: "deliveries", sql: "ALTER TABLE orders ADD COLUMN w int DEFAULT 5")

    private func withSchema(_ body: (PostgresPool, String) async throws -> Void) async throws {
        try await withPool { pool in try await body(pool, try #require(TestPostgres.current.schema)) }
    }

    @Test("Each is applied once, in order, and what is pending is known before")
    func once() async throws {
        try await withSchema { pool, schema in
            let pending = try await pendingMigrations([second, first], schema: schema, on: pool)
            #expect(pending == [first, second])
            #expect(try await migrate([second, first], schema: schema, on: pool) == [first, second])
            #expect(try await migrate([first, second], schema: schema, on: pool).isEmpty)
            #expect(try await pendingMigrations([first, second], schema: schema, on: pool).isEmpty)
            #expect(try await pool.query("SELECT w FROM orders")[0].decode("w", as: Int.self) == 5)
        }
    }

    @Test("Many processes at once apply each only once")
    func concurrently() async throws {
        try await withSchema { pool, schema in
            let applied = try await withThrowingTaskGroup { group in
                for _ in 0..<6 { group.addTask { try await migrate([first, second], schema: schema, on: pool) } }
                return try await group.reduce(into: [Migration]()) { $0 += $1 }
            }
            #expect(applied.sorted { $0.number < $1.number } == [first, second])
            #expect(try await pool.query("SELECT FROM orders").count == 1)
        }
    }

    @Test("A migration that fails leaves nothing behind, and those before it stay")
    func failure() async throws {
        try await withSchema { pool, schema in
            let broken = Migration(number: 2, name: "broken", sql: "CREATE TABLE half (v int); SELECT nonsense;")
            let error = await #expect(throws: PostgresError.self) {
                try await migrate([first, broken], schema: schema, on: pool)
            }
            #expect(error?.message.contains("migration 2 (broken)") == true)
            let half = try await pool.query("SELECT FROM pg_tables WHERE tablename = 'half'")
            #expect(half.isEmpty)
            #expect(try await migrate([first, second], schema: schema, on: pool) == [second])
        }
    }

    @Test("A migration of a table that a dump holds lets others read it, names the dump, and is applied after it")
    func lockedTable() async throws {
        try await withSchema { pool, schema in
            try await migrate([first], schema: schema, on: pool)
            let lines = LogLines()
            try await withPool(pool.configuration, logger: lines.logger) { migrating in
                let migration = try await pool.withTransaction { dump in
                    let row = try await dump.query("SELECT pg_backend_pid() AS pid")[0]
                    let process = try row.decode("pid", as: Int32.self)
                    try await dump.execute("LOCK TABLE orders IN ACCESS SHARE MODE")
                    let migration = Task { try await migrate([first, second], schema: schema, on: migrating) }
                    try await eventually("the migration waits for the table") {
                        try await !pool.query(
                            "SELECT FROM pg_locks WHERE NOT granted AND relation = 'orders'::regclass"
                        ).isEmpty
                    }
                    // The reader waits behind the migration, as long as that waits.
                    let read = try await withPool({ $0.statementTimeout = .seconds(30) }) { reader in
                        try await reader.query("SELECT v FROM orders").count
                    }
                    #expect(read == 1)
                    try await eventually("a line names the holder") {
                        lines.all.contains { $0.contains("process \(process) of") && $0.contains("migration 2") }
                    }
                    return migration
                }
                #expect(try await migration.value == [second])
            }
        }
    }

    @Test("A migration that the database ends because of a deadlock is repeated")
    func deadlock() async throws {
        try await withSchema { pool, schema in
            // A sequence keeps its value when the transaction ends.
            try await pool.execute("CREATE SEQUENCE tries")
            let ended = Migration(
                number: 2, name: "ended",
                sql: """
                    DO $$ BEGIN
                      IF nextval('tries') = 1 THEN RAISE EXCEPTION SQLSTATE '40P01'; END IF;
                    END $$;
                    ALTER TABLE orders ADD COLUMN w int;
                    """)
            #expect(try await migrate([first, ended], schema: schema, on: pool) == [first, ended])
        }
    }

    @Test("A migration waits for another process's, longer than a statement may last")
    func otherProcess() async throws {
        try await withSchema { pool, schema in
            let lines = LogLines()
            var configuration = pool.configuration
            configuration.statementTimeout = .seconds(1)
            try await withPool(configuration, logger: lines.logger) { migrating in
                let migration = try await pool.withTransaction { other in
                    try await other.execute(
                        "SELECT pg_advisory_xact_lock(hashtextextended(\("migrations of \(schema)")::text, 0))")
                    let migration = Task { try await migrate([first, second], schema: schema, on: migrating) }
                    try await eventually("the migration has waited for the other process's, and tries again") {
                        lines.all.contains { $0.contains("A migration waits for a lock") }
                    }
                    return migration
                }
                #expect(try await migration.value == [first, second])
            }
        }
    }

    @Test("A migration that ends its own transaction is refused")
    func ownCommit() async throws {
        try await withSchema { pool, schema in
            let bold = Migration(number: 1, name: "bold", sql: "CREATE TABLE a (v int); COMMIT;")
            await #expect(throws: PostgresError.self) { try await migrate([bold], schema: schema, on: pool) }
            let pending = try await pendingMigrations([bold], schema: schema, on: pool)
            #expect(pending == [bold])
        }
    }

    @Test("A schema that is not there is created")
    func newSchema() async throws {
        try await withSchema { pool, schema in
            let other = "\(schema) b"
            #expect(try await migrate([first], schema: other, on: pool) == [first])
            try await pool.execute("DROP SCHEMA \(sql: .identifier(other)) CASCADE")
        }
    }

    @Test("An edited, unknown, doubled or belated migration is refused with its number")
    func disagreement() throws {
        func entry(_ migration: Migration) -> AppliedMigration {
            AppliedMigration(number: migration.number, name: migration.name, checksum: migration.checksum)
        }
        let edited = Migration(number: 1, name: "orders", sql: first.sql + " ")
        let cases: [(code: [Migration], database: [Migration], words: String)] = [
            ([edited, second], [first], "migration 1 (orders) was edited"),
            ([first], [first, second], "the database has migration 2 (deliveries)"),
            ([second], [first, second], "the database has migration 1 (orders)"),
            ([first, second], [second], "migration 1 (orders) is not applied but 2 is"),
            ([first, edited], [], "both have number 1"),
        ]
        for (code, database, words) in cases {
            let error = #expect(throws: PostgresError.self) { try pending(of: code, applied: database.map(entry)) }
            #expect(error?.code == .migration)
            #expect(error?.message.contains(words) == true)
        }
    }

    @Test("A program whose schema is newer is ready, and has nothing to migrate")
    func newerSchema() async throws {
        try await withSchema { pool, schema in
            try await migrate([first, second], schema: schema, on: pool)
            let pending = try await pendingMigrations([first], schema: schema, on: pool)
            #expect(pending.isEmpty)
            let applied = try await migrate([first], schema: schema, on: pool)
            #expect(applied.isEmpty)
        }
    }

    @Test("Number and name come from the file's name")
    func fileName() throws {
        let migration = try Migration(file: "0012_open_orders.sql", bytes: Array("SELECT 1".utf8))
        #expect(migration == Migration(number: 12, name: "open_orders", sql: "SELECT 1"))
        #expect(throws: PostgresError.self) { try Migration(file: "orders.sql", bytes: []) }
    }
}
