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
    return try await withPool(configuration, body)
}
