internal import Synchronization

/// Selects the requests for the log: a bounded number of successful ones per second, and all others.
final class AccessLogSampler: Sendable {
    private struct State {
        var second: Int64 = -1
        var logged = 0
        var skipped = 0
    }

    private let perSecond: Int
    private let state = Mutex(State())

    /// - Parameter perSecond: successful requests that are logged in one second, the first ones.
    init(perSecond: Int) { self.perSecond = perSecond }

    /// - Parameter time: since some fixed moment.
    /// - Returns: how many requests were not logged since the last line; nil where this one is not logged either.
    func line(at time: Duration, isExpected: Bool) -> Int? {
        state.withLock { state in
            let second = time.components.seconds
            if second != state.second { (state.second, state.logged) = (second, 0) }
            guard !isExpected || state.logged < perSecond else {
                state.skipped += 1
                return nil
            }
            if isExpected { state.logged += 1 }
            defer { state.skipped = 0 }
            return state.skipped
        }
    }
}
