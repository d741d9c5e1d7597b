internal import Synchronization

/// One caller's wait for an outcome; it ends once, with the outcome or with the caller's cancellation.
package final class CancellableWait<Value: Sendable>: Sendable {
    private struct State {
        var waiter: CheckedContinuation<Value, any Error>?
        var isOver = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for ``end(with:)``, once.
    ///
    /// - Parameter begin: begins the work that ends the wait; not called where the task is cancelled already.
    /// - Throws: the outcome's error, or `CancellationError` at once.
    package func value(_ begin: () -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiter = waiter }
                    return state.isOver
                }
                if isOver { waiter.resume(throwing: CancellationError()) } else { begin() }
            }
        } onCancel: {
            end(with: .failure(CancellationError()))
        }
    }

    /// Ends the wait, unless it is over.
    package func end(with outcome: Result<Value, any Error>) {
        let waiter = state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }
        waiter?.resume(with: outcome)
    }
}
