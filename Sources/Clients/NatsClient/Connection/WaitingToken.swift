internal import Synchronization

/// Joins a wait with its task's cancellation, whichever comes first.
final class WaitingToken: Sendable {
    private enum State {
        case idle
        case waiting(UInt64)
        case cancelled
    }

    private let state = Mutex(State.idle)

    /// Records the waiter's token; false if the task was cancelled before.
    func begin(_ token: UInt64) -> Bool {
        state.withLock { state in
            if case .cancelled = state { return false }
            state = .waiting(token)
            return true
        }
    }

    /// Cancels the wait; returns the waiter's token, if the wait had begun.
    func cancel() -> UInt64? {
        state.withLock { state in
            defer { state = .cancelled }
            if case .waiting(let token) = state { return token }
            return nil
        }
    }
}
