import PostgresClient
import TestSupport
import Testing

@Suite("Statements in batches", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct BatchTests {
    private static let deletion: SQL =
        "DELETE FROM things WHERE number IN (SELECT number FROM things ORDER BY number LIMIT 10)"

    private func withThings(_ body: (PostgresPool) async throws -> Void) async throws {
        try await withPool { pool in
            try await pool.execute("CREATE TABLE things AS SELECT number FROM generate_series(1, 25) AS number")
            try await body(pool)
        }
    }

    @Test("One is repeated until it changes fewer rows than a batch, and all are counted")
    func all() async throws {
        try await withThings { pool in
            let first = try await pool.execute(inBatchesOf: 10, Self.deletion)
            #expect(first == 25)
            let second = try await pool.execute(inBatchesOf: 10, Self.deletion)
            #expect(second == 0)
        }
    }

    @Test("A batch that fails leaves those before it done")
    func failure() async throws {
        try await withThings { pool in
            try await pool.execute("CREATE TABLE kept (number integer)")
            try await pool.execute("ALTER TABLE things ADD PRIMARY KEY (number)")
            try await pool.execute("ALTER TABLE kept ADD FOREIGN KEY (number) REFERENCES things")
            try await pool.execute("INSERT INTO kept VALUES (15)")
            let error = await #expect(throws: PostgresError.self) {
                try await pool.execute(inBatchesOf: 10, Self.deletion)
            }
            #expect(error?.sqlState == "23503")
            let left = try await pool.query("SELECT min(number) AS first FROM things")
            #expect(try left.first?.decode("first", as: Int.self) == 11)
        }
    }
}
