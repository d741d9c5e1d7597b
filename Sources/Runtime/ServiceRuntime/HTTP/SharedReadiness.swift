internal import DeclaredMetrics
internal import FlowControl
internal import Metrics

/// The readiness checks of a port, run once for all concurrent callers and those within a second: the database's cost
/// does not depend on the number of probes and monitors.
final class SharedReadiness: Sendable {
    /// The time for which a result is shared with later callers.
    static let kept = Duration.seconds(1)

    private enum Key { case all }

    private let checks: [ReadinessCheck]
    private let reads: SharedReads<Key, [ReadinessReport.Check]>
    private let ready: Gauge
    /// By the name of the check, of each that the service can serve without.
    private let degraded: [String: Gauge]

    /// - Parameter metrics: of `doorstep_ready` and `doorstep_degraded`, which each report sets.
    init(
        _ checks: [ReadinessCheck], metrics: MetricsRegistry,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.checks = checks
        ready = HTTPMetrics.ready.gauge(in: metrics)
        let optional = checks.filter { !$0.isRequired }
            .map { ($0.name, HTTPMetrics.degraded.gauge([("check", $0.name)], in: metrics)) }
        degraded = Dictionary(uniqueKeysWithValues: optional)
        reads = SharedReads(keysMax: 1, keptFor: Self.kept, now: now)
    }

    /// The state of every check, from checks that run or that began within the last second.
    func report(isDraining: Bool) async -> ReadinessReport {
        let results = await reads.answer(of: .all) { await readinessResults(checks) }
        let report = ReadinessReport(results, isDraining: isDraining)
        let value = report.status == "ready" ? 1 : 0
        // The checks of a caller that went away failed by its cancellation.
        guard !Task.isCancelled else { return report }
        ready.record(value)
        for check in results {
            let number = check.status == "degraded" ? 1 : 0
            degraded[check.name]?.record(number)
        }
        return report
    }
}
