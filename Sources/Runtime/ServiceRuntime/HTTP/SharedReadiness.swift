internal import Synchronization

/// The readiness checks of a port, run once for all concurrent callers and those within a second: the database's cost
/// does not depend on the number of probes and monitors.
final class SharedReadiness: Sendable {
    /// The time for which a result is shared with later callers.
    static let kept = Duration.seconds(1)

    private struct State {
        var last: (results: [ReadinessReport.Check], endedAt: ContinuousClock.Instant)?
        var isRunning = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// A caller's next step.
    private enum Turn {
        case reuse([ReadinessReport.Check])
        case run
        case wait
    }

    private let checks: [ReadinessCheck]
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(_ checks: [ReadinessCheck], now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.checks = checks
        self.now = now
    }

    /// The state of every check, at most a second old.
    func report(isDraining: Bool) async -> ReadinessReport {
        while true {
            switch state.withLock({ turn(in: &$0) }) {
            case .reuse(let results): return ReadinessReport(results, isDraining: isDraining)
            case .run:
                let results = await readinessResults(checks)
                end(with: results)
                return ReadinessReport(results, isDraining: isDraining)
            case .wait: await waitForEnd()
            }
        }
    }

    private func turn(in state: inout State) -> Turn {
        if let last = state.last, now() - last.endedAt < Self.kept { return .reuse(last.results) }
        if state.isRunning { return .wait }
        state.isRunning = true
        return .run
    }

    /// - Parameter results: kept, unless the task that ran the checks was cancelled, which fails them.
    private func end(with results: [ReadinessReport.Check]) {
        let isWhole = !Task.isCancelled
        let waiters = state.withLock { state in
            state.isRunning = false
            if isWhole { state.last = (results, now()) }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the run has ended, which its time-outs bound.
    private func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isRunning { state.waiters.append(continuation) }
                return !state.isRunning
            }
            if isOver { continuation.resume() }
        }
    }
}
