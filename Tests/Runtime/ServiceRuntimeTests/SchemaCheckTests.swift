import Logging
import PostgresClient
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("Readiness of a database", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct SchemaCheckTests {
    @Test("A busy pool keeps a process ready whose schema was good, and proves no schema")
    func busy() async throws {
        var configuration = TestPostgres.current
        configuration.connectionsMax = 1
        let pool = PostgresPool(configuration, logger: .silent)
        let process = ServiceProcess(name: "orders", schema: configuration.schema ?? "", migrations: [], defaults: [:])
        let known = process.schemaCheck(on: pool)
        try await eventually("the database answers") { (try? await known.check()) != nil }
        let unknown = process.schemaCheck(on: pool)
        try await pool.withConnection { _ in
            let checks = [known, ReadinessCheck(name: "postgres") { try await pool.check() }, unknown]
            let results = await readinessResults(checks, limit: .seconds(60))
            #expect(results.map(\.status) == ["ready", "ready", "failed"])
        }
        try await eventually("it answers again") { (try? await unknown.check()) != nil }
        await pool.shutDown()
    }
}
