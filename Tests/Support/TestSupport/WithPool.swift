package import Logging
package import PostgresClient

/// Runs the body with a pool, and shuts the pool down after it.
package func withPool<Value>(
    _ configuration: PostgresConfiguration, logger: Logger = .silent,
    isolation: isolated (any Actor)? = #isolation, _ body: (PostgresPool) async throws -> Value
) async throws -> Value {
    let pool = PostgresPool(configuration, logger: logger)
    return try await withTeardown({ await pool.shutDown() }) { try await body(pool) }
}

extension PostgresPool {
    /// Opens a connection where none is idle, however impatient the pool is.
    package func warm() async throws {
        try await eventually("the pool has a connection") {
            // Connecting may outlast the time that a caller waits.
            (try? await query("SELECT 1")) != nil
        }
    }
}
