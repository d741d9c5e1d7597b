import PostgresClient
import TestSupport
import Testing

@Suite("Pool", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct PoolTests {
    @Test("A caller waits no longer than its timeout, and fails because all are busy")
    func exhaustion() async throws {
        try await withPool({
            $0.connectionsMax = 1; $0.acquireTimeout = .milliseconds(50)
        }) { pool in
            try await pool.warm()
            try await pool.withConnection { _ in
                let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
                #expect(error?.code == .poolExhausted)
                #expect(error?.isRetriable == true)
                // Busy is not broken.
                try await pool.check()
            }
            try await pool.query("SELECT 1")
        }
    }

    @Test("A session begins in its schema, in UTC, under its name, and compiles no statements")
    func session() async throws {
        try await withPool({
            $0.applicationName = "o'rders 1"; $0.schema = "odd \"schema\\"
        }) { pool in
            let row = try await pool.query(
                "SELECT current_setting('search_path') AS path, current_setting('TimeZone') AS zone")[0]
            #expect(try row.decode("path", as: String.self) == "\"odd \"\"schema\\\"")
            #expect(try row.decode("zone", as: String.self) == "UTC")
            let name = try await pool.query("SHOW application_name")[0].decode("application_name", as: String.self)
            #expect(name == "o'rders 1")
            let jit = try await pool.query("SHOW jit")[0].decode("jit", as: String.self)
            #expect(jit == "off")
        }
    }

    @Test("A warning of the server while it connects is a log line, as one at any other time")
    func warningWhileConnecting() async throws {
        // A database whose recorded collation differs: its server warns in the midst of connecting.
        let name = "collation_\(UInt64.random(in: 0 ... .max))"
        try await withPool { pool in
            try await pool.query("CREATE DATABASE \(sql: SQL.identifier(name))")
            try await pool.query("UPDATE pg_database SET datcollversion = 'other' WHERE datname = \(name)")
        }
        var configuration = TestPostgres.current
        configuration.database = name
        let lines = LogLines()
        _ = try await withPool(configuration, logger: lines.logger) { pool in try await pool.query("SELECT 1") }
        #expect(lines.all.contains { $0.hasPrefix("warning") && $0.contains(name) && $0.contains("version") })
        _ = try await withPool { pool in try await pool.query("DROP DATABASE \(sql: SQL.identifier(name))") }
    }

    @Test("As a service it is ready by itself, and shuts down when nobody uses it any more")
    func service() async throws {
        let pool = PostgresPool(TestPostgres.current, logger: .silent)
        #expect(!pool.isReady)
        try await RunningService.run(pool) { stop in
            try await pool.check()
            #expect(pool.isReady)
            try await pool.withConnection { connection in
                await stop()
                while pool.isReady { await Task.yield() }
                // The one that was lent out is good until it is given back.
                try await connection.query("SELECT 1")
            }
        }
        let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
        #expect(error?.code == .closed)
    }

    @Test("A shutdown interrupts what outlasts its patience")
    func drainTimeout() async throws {
        try await withPool({ $0.drainTimeout = .milliseconds(50) }) { pool in
            try await pool.withConnection { connection in
                let sleep = Task { _ = try await connection.query("SELECT pg_sleep(600)") }
                try await withPool { observer in
                    let pattern = "%pg_sleep(600)%"
                    try await eventually("it sleeps") {
                        // Sessions of other tests, and what has ended, are there too.
                        try await !observer.query(
                            """
                            SELECT FROM pg_stat_activity WHERE query LIKE \(pattern) AND pid <> pg_backend_pid()
                                AND state = 'active' AND application_name = \(TestPostgres.current.applicationName)
                            """
                        ).isEmpty
                    }
                }
                await pool.shutDown()
                await #expect(throws: PostgresError.self) { try await sleep.value }
            }
        }
    }

    @Test("A session the server has ended meanwhile is not handed out")
    func staleConnection() async throws {
        try await withPool { observer in
            try await withPool({ $0.connectionsMax = 1 }) { pool in
                let session = try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid", as: Int32.self)
                try await observer.query("SELECT pg_terminate_backend(\(session), 10000)")
                let next = try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid", as: Int32.self)
                #expect(next != session)
            }
        }
    }

    @Test("A session that ends under a statement is a lost connection with an unknown outcome")
    func lostUnderStatement() async throws {
        try await withPool { pool in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(600)")
            }
            #expect(error?.isConnectionLoss == true && error?.isRetriable == true)
            #expect(error?.isOutcomeUnknown == true)
            try await pool.query("SELECT 1")
        }
    }
}

@Suite("A server that dies", .tags(.integration), .timeLimit(.minutes(10)))
struct ServerFaultTests {
    @Test("A killed server costs errors while it is away, and nothing once it is back")
    func kill9() async throws {
        let server = try await PrivatePostgres.start()
        var configuration = server.configuration
        configuration.acquireTimeout = .seconds(2)
        let pool = PostgresPool(configuration, logger: .silent)
        try await pool.warm()
        try await pool.withConnection { _ in try await pool.warm() }
        try await pool.execute("CREATE TABLE t (v int)")
        try await pool.execute("INSERT INTO t VALUES (1)")

        // One connection inside of a transaction, one idle, when the server goes.
        let error = await #expect(throws: PostgresError.self) {
            try await pool.withTransaction { transaction in
                try await transaction.execute("INSERT INTO t VALUES (2)")
                try await pool.query("SELECT 1")
                try await server.kill9()
                try await transaction.execute("INSERT INTO t VALUES (3)")
            }
        }
        #expect(error?.isConnectionLoss == true && error?.isOutcomeUnknown == false)
        // Until the first attempt to connect has failed, a query waits for a connection.
        try await eventually("the server is known to be away") {
            let away = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
            #expect(away?.isRetriable == true)
            return away?.code == .connection
        }
        await #expect(throws: PostgresError.self) { try await pool.check() }

        try await server.restart()
        while (try? await pool.query("SELECT 1")) == nil {}
        #expect(try await pool.query("SELECT FROM t").count == 1)
        #expect(pool.isReady)
        await pool.shutDown()
        try await server.stop()
    }

    @Test("A pool that starts before its server waits for it")
    func startsFirst() async throws {
        let server = try await PrivatePostgres.start()
        try await server.stop()
        var configuration = server.configuration
        configuration.acquireTimeout = .seconds(60)
        let pool = PostgresPool(configuration, logger: .silent)
        async let answer = pool.query("SELECT 7 AS seven")
        try await server.restart()
        #expect(try await answer[0].decode("seven", as: Int.self) == 7)
        await pool.shutDown()
        try await server.stop()
    }
}
