/// Does work for a time at most, and cancels it then.
///
/// - Parameter limit: wall time.
/// - Returns: nil where the work lasted longer.
/// - Throws: the work's error; `CancellationError` where the task is cancelled.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
