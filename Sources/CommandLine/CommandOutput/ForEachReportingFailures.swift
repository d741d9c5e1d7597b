/// Runs `body` for each item; a failure is printed with its item, and the next item still runs.
///
/// - Throws: the failure itself where there is one item only; otherwise one with the first failure's exit code.
package func forEachReportingFailures<Item: Sendable>(
    _ items: [Item], _ body: (Item) async throws -> Void
) async throws {
    var firstFailure: CommandFailure?
    for item in items {
        do {
            try await body(item)
        } catch let failure as CommandFailure {
            if items.count == 1 { throw failure }
            writeError("\(item): \(failure.message)")
            firstFailure = firstFailure ?? failure
        }
    }
    if let firstFailure { throw CommandFailure(firstFailure.kind, "not all of them could be done") }
}
