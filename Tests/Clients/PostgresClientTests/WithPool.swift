import Logging
import PostgresClient
import TestSupport

/// Runs the closure with a pool on the running test's schema, and shuts it down after.
func withPool<Value: Sendable>(
    _ change: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: (PostgresPool) async throws -> Value
) async throws -> Value {
    var configuration = TestPostgres.current
    configuration.acquireTimeout = .seconds(30)
    change(&configuration)
    let pool = PostgresPool(configuration, logger: Logger(label: "test"))
    do {
        let value = try await body(pool)
        await pool.shutDown()
        return value
    } catch {
        await pool.shutDown()
        throw error
    }
}
