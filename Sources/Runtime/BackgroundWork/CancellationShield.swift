/// Runs `body` to its end even if the calling task is cancelled meanwhile, and returns its result.
///
/// For a write that must follow an external effect, such as the result of a sent push.
/// - Throws: the error of `body`; never because the caller's task was cancelled.
package func withCancellationShield<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await Task { try await body() }.value
}

/// The shield for a body that does not throw.
package func withCancellationShield<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    await Task { await body() }.value
}
