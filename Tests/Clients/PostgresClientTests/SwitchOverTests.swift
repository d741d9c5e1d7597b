import PostgresClient
import TestSupport
import Testing

/// Servers that stop taking writes, and others that begin to.
@Suite("Switch-over", .tags(.integration), .timeLimit(.minutes(10)))
struct SwitchOverTests {
    private func pool(_ configuration: PostgresConfiguration) -> PostgresPool {
        var configuration = configuration
        configuration.acquireTimeout = .seconds(60)
        return PostgresPool(configuration, logger: .silent)
    }

    @Test("When the primary is gone and its standby is promoted, the pool writes there, and lost no committed row")
    func promotion() async throws {
        let primary = try await PrivatePostgres.start()
        let standby = try await primary.startStandby()
        var configuration = primary.configuration
        configuration.furtherServers = [.init(host: "127.0.0.1", port: standby.port)]
        let pool = pool(configuration)
        try await pool.execute("CREATE TABLE kept (value integer)")
        try await pool.execute("INSERT INTO kept VALUES (1)")
        try await primary.kill9()
        // A standby is no server to write on, so nothing is connected before the promotion.
        await #expect(throws: PostgresError.self) { try await pool.check() }
        try await standby.promote()
        try await pool.execute("INSERT INTO kept VALUES (2)")
        try await pool.check()
        let values = try await pool.query("SELECT value FROM kept ORDER BY value").map {
            try $0.decode("value", as: Int.self)
        }
        #expect(values == [1, 2])
        await pool.shutDown()
    }

    @Test("A server that was made read-only loses its connections and is not ready; writable again, it is written to")
    func readOnly() async throws {
        let server = try await PrivatePostgres.start()
        let pool = pool(server.configuration)
        try await pool.execute("CREATE TABLE kept (value integer)")
        // Sessions that are open learn of it, and keep it.
        try await server.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        try await server.execute("SELECT pg_reload_conf()")
        while (try? await pool.execute("INSERT INTO kept VALUES (1)")) != nil {}
        await #expect(throws: PostgresError.self) { try await pool.check() }
        #expect(!pool.isReady)
        try await server.execute("ALTER SYSTEM RESET default_transaction_read_only")
        try await server.execute("SELECT pg_reload_conf()")
        try await pool.execute("INSERT INTO kept VALUES (2)")
        #expect(pool.isReady)
        try await pool.check()
        await pool.shutDown()
    }

    @Test("A pool that reads alone takes a standby")
    func readers() async throws {
        let primary = try await PrivatePostgres.start()
        let standby = try await primary.startStandby()
        var configuration = standby.configuration
        configuration.sessionKind = .any
        let pool = pool(configuration)
        try await pool.check()
        #expect(try await pool.query("SELECT pg_is_in_recovery() AS it")[0].decode("it", as: Bool.self))
        await pool.shutDown()
    }
}
