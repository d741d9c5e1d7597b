internal import Synchronization

/// Suspends one loop until there is work; wake-ups during its work count as one.
package final class WakeSignal: Sendable {
    private struct State {
        var isRaised = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends the present wait, or the next one before it begins.
    package func wake() {
        let waiter = state.withLock { state in
            if state.waiter == nil { state.isRaised = true }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Ends the present wait; false when there is none.
    package func wakeIfWaiting() -> Bool {
        let waiter = state.withLock { $0.waiter.take() }
        waiter?.resume()
        return waiter != nil
    }

    /// Returns when woken, after `limit`, or on cancellation; may return spuriously.
    package func wait(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask {
                // Ends early, without effect, when there was a wake-up first.
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                self.wake()
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let isOver = state.withLock { state in
                        if state.isRaised || Task.isCancelled {
                            state.isRaised = false
                            return true
                        }
                        state.waiter = waiter
                        return false
                    }
                    if isOver { waiter.resume() }
                }
            } onCancel: {
                self.wake()
            }
            group.cancelAll()
        }
    }
}
