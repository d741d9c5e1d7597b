/// Runs a body, and then what takes its resources down, whether or not the body throws.
///
/// - Throws: what the body throws, or else what the teardown throws.
package func withTeardown<Value>(
    _ teardown: () async throws -> Void, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
) async throws -> Value {
    let value: Value
    do {
        value = try await body()
    } catch {
        try? await teardown()
        throw error
    }
    try await teardown()
    return value
}
