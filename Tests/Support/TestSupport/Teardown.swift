/// Runs a body, and then the teardown of its resources, whether or not the body throws.
///
/// - Throws: the body's error, or else the teardown's.
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
