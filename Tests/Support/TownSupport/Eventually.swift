import Testing

/// A condition that did not come true in time.
package struct TimedOut: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until a condition holds; asks often, and waits no longer than it must.
///
/// - Parameters:
///   - claim: what will hold, for the message when it does not.
///   - seconds: of the wall clock, generous for a busy machine: it bounds a failure, not a success.
/// - Throws: ``TimedOut``, with what `explain` says about it.
package func eventually(
    _ claim: String, within seconds: Double = 90, explain: () async -> String = { "" },
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TimedOut(description: "not within \(seconds) s: \(claim)\n\(await explain())")
        }
        try await Task.sleep(for: .milliseconds(50))
    }
}
