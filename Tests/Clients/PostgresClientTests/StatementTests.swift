import PostgresClient
import TestSupport
import Testing

@Suite("Statements", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct StatementTests {
    @Test("Values are bound and fragments renumbered, whatever the order")
    func text() {
        let filter: SQL = "price > \(5) AND name = \("it's")"
        let statement: SQL = "SELECT \(1) FROM \(raw: "goods") WHERE \(sql: filter) LIMIT \(7)"
        #expect(statement.text == "SELECT $1 FROM goods WHERE price > $2 AND name = $3 LIMIT $4")
        #expect((filter + " OR \(true)").text == "price > $1 AND name = $2 OR $3")
        #expect(SQL.identifier("a\"b; DROP").text == "\"a\"\"b; DROP\"")
    }

    @Test("A value cannot become part of the statement")
    func injection() async throws {
        try await withPool { pool in
            try await pool.execute("CREATE TABLE orders (name text)")
            let attack = "x'); DROP TABLE orders; --"
            try await pool.execute("INSERT INTO orders VALUES (\(attack))")
            #expect(try await pool.query("SELECT name FROM orders WHERE name = \(attack)").count == 1)
        }
    }

    @Test("Text with a NUL is refused rather than cut short")
    func nul() async throws {
        try await withPool { pool in
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT \("a\0b")::text") }
            #expect(error?.code == .encoding)
            let arrayError = await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT \(["a\0b"])::text[]")
            }
            #expect(arrayError?.code == .encoding)
        }
    }

    @Test("The number of rows is what the statement touched")
    func rowsAffected() async throws {
        try await withPool { pool in
            try await pool.execute("CREATE TABLE t (v int)")
            #expect(try await pool.execute("INSERT INTO t SELECT generate_series(1, 5)") == 5)
            #expect(try await pool.execute("UPDATE t SET v = v WHERE v > \(3)") == 2)
            #expect(try await pool.execute("DELETE FROM t WHERE v > \(30)") == 0)
        }
    }

    @Test("A refusal carries SQLSTATE and constraint, and prints no value")
    func refusal() async throws {
        try await withPool { pool in
            try await pool.execute("CREATE TABLE t (email text CONSTRAINT email_once UNIQUE)")
            try await pool.execute("INSERT INTO t VALUES (\("a@b.example"))")
            let error = try #require(
                await #expect(throws: PostgresError.self) {
                    try await pool.execute("INSERT INTO t VALUES (\("a@b.example"))")
                })
            #expect(error.sqlState == "23505")
            #expect(!error.isRetriable && !error.isConnectionLoss)
            #expect(error.constraint == "email_once")
            #expect(error.table == "t")
            #expect(error.query == "INSERT INTO t VALUES ($1)")
            #expect(error.detail?.contains("a@b.example") == true)
            #expect(!error.description.contains("a@b.example"))
            let malformed = try #require(
                await #expect(throws: PostgresError.self) { try await pool.query("SELECT \("s3cret")::int") })
            #expect(malformed.sqlState == "22P02")
            #expect(!malformed.description.contains("s3cret"))
            // The connection survives a refusal.
            #expect(try await pool.query("SELECT 1 AS one")[0].decode("one", as: Int.self) == 1)
        }
    }

    @Test("A syntax error leaves the connection usable")
    func syntaxError() async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELEC 1") }
            #expect(error?.sqlState == "42601")
            try await pool.query("SELECT 1")
        }
    }

    @Test("A batch gives each statement's result, in order")
    func batchResults() async throws {
        try await withPool { pool in
            let results = try await pool.batch([
                "CREATE TEMPORARY TABLE t (v int)", "INSERT INTO t VALUES (\(1)), (\(2))", "SELECT v FROM t ORDER BY v",
                "INSERT INTO t VALUES (\(3)), (\(4))", "SELECT",
            ])
            #expect(results.map(\.rowsAffected) == [0, 2, 2, 2, 1])
            #expect(try results[2].rows.map { try $0.decode("v", as: Int.self) } == [1, 2])
            #expect(try await pool.batch([]).isEmpty)
        }
    }

    @Test("Nothing of a batch is applied when one of its statements is refused", arguments: 0..<3)
    func batchAtomicity(refusedAt position: Int) async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            try await pool.execute("CREATE TABLE t (v int PRIMARY KEY)")
            try await pool.execute("INSERT INTO t VALUES (0)")
            var batch: [SQL] = (1...3).map { "INSERT INTO t VALUES (\($0))" }
            batch[position] = "INSERT INTO t VALUES (\(0))"
            let error = await #expect(throws: PostgresError.self) { try await pool.batch(batch) }
            #expect(error?.sqlState == "23505")
            #expect(try await pool.query("SELECT FROM t").count == 1)
        }
    }

    @Test("A batch larger than any socket buffer, both ways, does not lock up")
    func largeBatch() async throws {
        try await withPool { pool in
            let text = String(repeating: "x", count: 100_000)
            let results = try await pool.batch((0..<200).map { "SELECT \(text)::text AS a, \($0) AS i" })
            #expect(results.count == 200)
            #expect(try results[199].rows[0].decode("i", as: Int.self) == 199)
            #expect(try results[199].rows[0].decode("a", as: String.self) == text)
        }
    }

    @Test("Prepared statements beyond the bound are given up, on the server too")
    func eviction() async throws {
        try await withPool({
            $0.preparedStatementsMax = 4; $0.connectionsMax = 1
        }) { pool in
            for round in 0..<20 {
                let value = try await pool.query("SELECT \(round) + \(raw: String(round % 7)) AS v")[0]
                #expect(try value.decode("v", as: Int.self) == round + round % 7)
            }
            let held = try await pool.query("SELECT name FROM pg_prepared_statements")
            #expect(held.count <= 5)
        }
    }

    @Test("A statement is prepared once, however often it runs")
    func reuse() async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            for _ in 0..<10 { try await pool.query("SELECT \(1)") }
            let held = try await pool.query("SELECT FROM pg_prepared_statements WHERE statement = 'SELECT $1'")
            #expect(held.count == 1)
        }
    }

    @Test("A connection recovers when the server has lost its prepared statements")
    func lostStatements() async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            try await pool.execute("CREATE TABLE t (v int)")
            try await pool.execute("INSERT INTO t VALUES (\(1))")
            try await pool.execute("DEALLOCATE ALL")
            try await pool.execute("INSERT INTO t VALUES (\(1))")
            try await pool.execute("DEALLOCATE ALL")
            try await pool.withTransaction { _ = try await $0.execute("INSERT INTO t VALUES (\(1))") }
            #expect(try await pool.query("SELECT * FROM t").count == 3)
            // A changed result type invalidates a cached plan in its own way.
            try await pool.execute("ALTER TABLE t ADD COLUMN w int")
            #expect(try await pool.query("SELECT * FROM t")[0].decode("w", as: Int?.self) == nil)
        }
    }

    @Test("A script may hold many statements, and is all or nothing")
    func script() async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            try await pool.withConnection { connection in
                try await connection.executeScript("CREATE TABLE a (v int); INSERT INTO a VALUES (1); -- done")
                await #expect(throws: PostgresError.self) {
                    try await connection.executeScript("INSERT INTO a VALUES (2); SELECT nonsense; SELECT 3")
                }
            }
            #expect(try await pool.query("SELECT FROM a").count == 1)
        }
    }
}
