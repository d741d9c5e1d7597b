import PostgresClient
import TestSupport
import Testing

@Suite("Transactions", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct TransactionTests {
    struct Refusal: Error {}

    private func withTable(_ body: (PostgresPool) async throws -> Void) async throws {
        try await withPool({ $0.connectionsMax = 4 }) { pool in
            try await pool.execute("CREATE TABLE t (v int PRIMARY KEY)")
            try await body(pool)
        }
    }

    private func values(_ pool: PostgresPool) async throws -> [Int] {
        try await pool.query("SELECT v FROM t ORDER BY v").map { try $0.decode("v") }
    }

    @Test("What returns is committed, and nobody sees it before")
    func commit() async throws {
        try await withTable { pool in
            let result = try await pool.withTransaction { transaction in
                try await transaction.execute("INSERT INTO t VALUES (\(1))")
                #expect(try await values(pool).isEmpty)
                return "done"
            }
            #expect(result == "done")
            #expect(try await values(pool) == [1])
        }
    }

    @Test("What throws is undone, and its error arrives as it is")
    func rollBack() async throws {
        try await withTable { pool in
            await #expect(throws: Refusal.self) {
                try await pool.withTransaction { transaction in
                    try await transaction.batch(["INSERT INTO t VALUES (\(1))", "INSERT INTO t VALUES (\(2))"])
                    throw Refusal()
                }
            }
            let left = try await values(pool)
            #expect(left.isEmpty)
        }
    }

    @Test("A refusal that was swallowed makes the commit fail instead of vanish")
    func swallowed() async throws {
        try await withTable { pool in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { transaction in
                    try await transaction.execute("INSERT INTO t VALUES (\(1))")
                    _ = try? await transaction.execute("INSERT INTO t VALUES (\(1))")
                }
            }
            #expect(error?.sqlState == "25P02")
            let left = try await values(pool)
            #expect(left.isEmpty)
        }
    }

    @Test("A transaction without statements sends nothing")
    func empty() async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            let ids: [Int] = try await pool.query("SELECT pg_backend_pid()").map { try $0.decode("pg_backend_pid") }
            try await pool.withTransaction(.serializable) { _ in }
            try await withPool({ $0.connectionsMax = 1 }) { other in
                let newest: [String] =
                    try await other
                    .query("SELECT query FROM pg_stat_activity WHERE pid = \(ids[0])").map { try $0.decode("query") }
                #expect(newest == ["SELECT pg_backend_pid()"])
            }
        }
    }

    @Test("A transaction is of no use after its end")
    func over() async throws {
        try await withTable { pool in
            let escaped = try await pool.withTransaction { transaction in
                try await transaction.execute("INSERT INTO t VALUES (\(1))")
                return transaction
            }
            let error = await #expect(throws: PostgresError.self) { try await escaped.query("SELECT 1") }
            #expect(error?.code == .closed)
        }
    }

    @Test("Statements that start together all run inside")
    func concurrentStatements() async throws {
        try await withTable { pool in
            await #expect(throws: Refusal.self) {
                try await pool.withTransaction { transaction in
                    try await withThrowingTaskGroup { group in
                        for value in 0..<10 {
                            group.addTask { _ = try await transaction.execute("INSERT INTO t VALUES (\(value))") }
                        }
                        try await group.waitForAll()
                    }
                    #expect(try await transaction.query("SELECT FROM t").count == 10)
                    throw Refusal()
                }
            }
            let left = try await values(pool)
            #expect(left.isEmpty)
        }
    }

    actor Counter {
        var count = 0

        func countInside(_ pool: PostgresPool) async throws -> Int {
            try await pool.withTransaction { transaction in
                count += try await transaction.execute("INSERT INTO t VALUES (\(7))")
            }
            return count
        }
    }

    @Test("An actor's closure may touch its state")
    func isolated() async throws {
        try await withTable { pool in
            let count = try await Counter().countInside(pool)
            #expect(count == 1)
        }
    }

    @Test("The isolation level is the one asked for", arguments: [IsolationLevel.repeatableRead, .serializable])
    func isolation(_ level: IsolationLevel) async throws {
        try await withTable { pool in
            let actual = try await pool.withTransaction(level) { transaction in
                let row = try await transaction.query("SELECT current_setting('transaction_isolation') AS level")[0]
                return try row.decode("level", as: String.self)
            }
            #expect(actual == level.rawValue.lowercased())
        }
    }

    @Test("A serialization failure is run again, as often as allowed")
    func retries() async throws {
        try await withTable { pool in
            try await pool.execute("INSERT INTO t VALUES (0)")
            let clash: @Sendable (PostgresTransaction) async throws -> Void = { transaction in
                _ = try await transaction.query("SELECT v FROM t")
                try await pool.execute("UPDATE t SET v = v + 1")
                try await transaction.execute("UPDATE t SET v = v + 10")
            }
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction(.repeatableRead, retriesMax: 2, clash)
            }
            #expect(error?.isSerializationFailure == true && error?.isRetriable == true)
            // Three attempts, each with its own clash outside, none committed.
            #expect(try await values(pool) == [3])
        }
    }

    @Test("A constraint checked at the commit refuses the commit")
    func deferredConstraint() async throws {
        try await withTable { pool in
            try await pool.execute("CREATE TABLE u (v int REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { _ = try await $0.execute("INSERT INTO u VALUES (\(7))") }
            }
            #expect(error?.sqlState == "23503")
            #expect(error?.isOutcomeUnknown == false)
        }
    }

    @Test("A session that ends under the COMMIT leaves an unknown outcome", arguments: [true, false])
    func cutOffCommit(hasLastStatement: Bool) async throws {
        try await withTable { pool in
            try await pool.execute(
                """
                CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(600); RETURN NULL; END $$
                """)
            try await pool.execute(
                """
                CREATE CONSTRAINT TRIGGER t_cut_off AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION cut_off()
                """)
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { transaction in
                    let insertion: SQL = "INSERT INTO t VALUES (\(7))"
                    if hasLastStatement {
                        _ = try await transaction.commit(with: [insertion])
                    } else {
                        _ = try await transaction.execute(insertion)
                    }
                }
            }
            #expect(error?.isConnectionLoss == true && error?.isOutcomeUnknown == true)
        }
    }

    @Test("A transaction left open by hand is not passed on to the next borrower")
    func leftOpen() async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            let session: SQL = "SELECT pg_backend_pid() AS pid"
            let left = try await pool.withConnection { connection in
                try await connection.execute("BEGIN")
                return try await connection.query(session)[0].decode("pid", as: Int.self)
            }
            let next = try await pool.query(session)[0].decode("pid", as: Int.self)
            #expect(next != left)
        }
    }
}
