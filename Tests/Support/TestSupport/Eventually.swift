/// A condition that did not become true in time.
package struct TimedOut: Error, CustomStringConvertible {
    package let description: String
}

/// Polls a condition until it holds.
///
/// - Parameters:
///   - claim: the expected fact, for the message when it does not hold.
///   - seconds: wall seconds, generous for a busy machine: it bounds a failure, not a success.
/// - Throws: ``TimedOut``, with the text of `explain`.
package func eventually(
    _ claim: String, within seconds: Double = 90, isolation: isolated (any Actor)? = #isolation,
    explain: () async -> String = { "" }, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var pause = Duration.milliseconds(5)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TimedOut(description: "not within \(seconds) s: \(claim)\n\(await explain())")
        }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}
