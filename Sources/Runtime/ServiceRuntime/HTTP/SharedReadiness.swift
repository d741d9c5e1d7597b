internal import FlowControl

/// The readiness checks of a port, run once for all concurrent callers and those within a second: the database's cost
/// does not depend on the number of probes and monitors.
final class SharedReadiness: Sendable {
    /// The time for which a result is shared with later callers.
    static let kept = Duration.seconds(1)

    private enum Key { case all }

    private let checks: [ReadinessCheck]
    private let reads: SharedReads<Key, [ReadinessReport.Check]>

    init(_ checks: [ReadinessCheck], now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.checks = checks
        reads = SharedReads(keysMax: 1, keptFor: Self.kept, now: now)
    }

    /// The state of every check, at most a second old.
    func report(isDraining: Bool) async -> ReadinessReport {
        let results = await reads.answer(of: .all) { await readinessResults(checks) }
        return ReadinessReport(results, isDraining: isDraining)
    }
}
