internal import Synchronization

/// Lets one loop sleep until there is work; calls while it works are remembered as one.
package final class WakeSignal: Sendable {
    private struct State {
        var isRaised = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends the wait under way, or the next one before it begins.
    package func wake() {
        let waiter = state.withLock { state in
            if state.waiter == nil { state.isRaised = true }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Ends the wait under way; false when nobody waits.
    package func wakeIfWaiting() -> Bool {
        let waiter = state.withLock { $0.waiter.take() }
        waiter?.resume()
        return waiter != nil
    }

    /// Returns when woken, after `limit`, or on cancellation; now and then without a reason.
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
