import CommandOutput
import PostgresClient

extension PostgresPool {
    /// Runs `body` with a pool, and converts database errors into the command's.
    ///
    /// - Parameter doing: the failed action on the list of erasures.
    static func with<Value: Sendable>(
        _ configuration: PostgresConfiguration, failing doing: String, _ body: (PostgresPool) async throws -> Value
    ) async throws -> Value {
        do {
            return try await with(configuration, body)
        } catch let error as PostgresError {
            throw CommandFailure(.unavailable, "the list of erasures cannot \(doing): \(error)")
        }
    }
}
