package import Logging

/// The deletions of one run of a service's retention, of which a failed one keeps no later one from running.
///
/// A deletion that meets a time-out each hour must not keep all other data past their time.
package struct RetentionSteps {
    private var rows: [String: Int] = [:]
    private var failures: [(name: String, error: any Error)] = []

    package init() {}

    /// Runs a deletion that returns how many rows it deleted, and keeps its failure for ``finish(logger:)``.
    ///
    /// - Parameter name: names the rows in the log; deletions of one name are counted together.
    /// - Throws: `CancellationError` if the deletion failed by the task's cancellation: no later one should begin.
    package mutating func run(_ name: String, _ deletion: () async throws -> Int) async throws {
        do {
            let count = try await deletion()
            rows[name, default: 0] += count
        } catch {
            try Task.checkCancellation()
            failures.append((name, error))
        }
    }

    /// Logs how many rows were deleted, if any, and each deletion that failed.
    ///
    /// - Throws: the failure of the first of them.
    package func finish(logger: Logger? = nil) throws {
        let deleted = rows.filter { $0.value > 0 }
        if !deleted.isEmpty {
            logger?.info("Data past its retention was deleted", metadata: deleted.mapValues { .stringConvertible($0) })
        }
        for failure in failures {
            logger?.warning(
                "Data past its retention could not be deleted",
                metadata: ["rows": "\(failure.name)", "reason": "\(failure.error)"])
        }
        if let first = failures.first { throw first.error }
    }
}
