import PostgresClient
import TestSupport
import Testing

@Suite("Cancellation", .postgresSchema, .tags(.integration), .timeLimit(.minutes(10)))
struct CancellationTests {
    /// Returns when so many sessions of that name run a `pg_sleep`, zero included.
    private func untilSleeping(_ count: Int, _ name: String, _ pool: PostgresPool) async throws {
        try await eventually("\(count) sleep") {
            try await pool.query(
                """
                SELECT FROM pg_stat_activity
                WHERE application_name = \(name) AND state = 'active' AND query LIKE '%pg_sleep%'
                """
            ).count == count
        }
    }

    private func name() -> String { "cancel-\(TestPostgres.current.schema ?? "")" }

    @Test("Cancelling the task stops the statement on the server")
    func stops() async throws {
        try await withPool { observer in
            try await withPool({ $0.applicationName = name() }) { pool in
                let task = Task { _ = try await pool.query("SELECT pg_sleep(600)") }
                try await untilSleeping(1, name(), observer)
                task.cancel()
                let error = await #expect(throws: PostgresError.self) { try await task.value }
                #expect(error?.code == .cancelled)
                #expect(error?.isOutcomeUnknown == true)
                try await untilSleeping(0, name(), observer)
                // The pool goes on with another connection.
                try await pool.query("SELECT 1")
            }
        }
    }

    @Test("Cancelling a transaction undoes it")
    func transaction() async throws {
        try await withPool { observer in
            try await observer.execute("CREATE TABLE t (v int)")
            try await withPool({ $0.applicationName = name() }) { pool in
                let task = Task {
                    try await pool.withTransaction { transaction in
                        try await transaction.execute("INSERT INTO t VALUES (1)")
                        _ = try await transaction.query("SELECT pg_sleep(600)")
                    }
                }
                try await untilSleeping(1, name(), observer)
                task.cancel()
                await #expect(throws: PostgresError.self) { try await task.value }
                try await untilSleeping(0, name(), observer)
                // Waits for the lock of the transaction if it were still there, then sees nothing of it.
                try await observer.withTransaction { _ = try await $0.execute("LOCK TABLE t") }
                #expect(try await observer.query("SELECT FROM t").isEmpty)
            }
        }
    }

    @Test("A task that is cancelled already sends nothing, and its connection stays good")
    func early() async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            let session = try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid", as: Int.self)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await pool.query("SELECT 1")
            }
            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(error?.isOutcomeUnknown == false)
            let again = try await pool.query("SELECT pg_backend_pid() AS pid")[0].decode("pid", as: Int.self)
            #expect(session == again)
        }
    }

    @Test("A caller cancelled in the queue leaves it, and the next one is served")
    func queued() async throws {
        try await withPool({ $0.connectionsMax = 1 }) { pool in
            try await pool.withConnection { _ in
                let waiting = Task { _ = try await pool.query("SELECT 1") }
                await Task.yield()
                waiting.cancel()
                let error = await #expect(throws: PostgresError.self) { try await waiting.value }
                #expect(error?.code == .cancelled)
            }
            try await pool.query("SELECT 1")
        }
    }

    @Test("Sleeping statements on 64 connections leave the cooperative pool free for others")
    func cooperativePool() async throws {
        try await withPool { observer in
            try await withPool({
                $0.connectionsMax = 64; $0.applicationName = name()
            }) { pool in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 { group.addTask { _ = try await pool.query("SELECT pg_sleep(600)") } }
                    try await untilSleeping(64, name(), observer)
                    // They sleep for ten minutes: that this chain comes to its end shows that none is in its way.
                    var links = 0
                    while links < 1_000 { links = await Task { [links] in links + 1 }.value }
                    #expect(links == 1_000)
                    group.cancelAll()
                    while let result = await group.nextResult() {
                        #expect(throws: PostgresError.self) { try result.get() }
                    }
                }
                try await untilSleeping(0, name(), observer)
            }
        }
    }

    @Test("The server's own time limit is not taken for a cancellation")
    func statementTimeout() async throws {
        try await withPool({ $0.statementTimeout = .milliseconds(50) }) { pool in
            let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT pg_sleep(600)") }
            #expect(error?.sqlState == "57014")
        }
    }
}
