internal import Synchronization

/// Bounds the messages in flight, and lets shutdown wait for the last of them.
final class SendGate: Sendable {
    private struct State {
        var inFlight = 0
        var isClosed = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let inFlightMax: Int
    private let state = Mutex(State())

    init(inFlightMax: Int) { self.inFlightMax = inFlightMax }

    /// Acquires a place, which ``leave()`` releases.
    /// - Returns: the reason why there is none; nil where a place was acquired.
    func enter() -> WebPushUnavailableCause? {
        state.withLock { state in
            if state.isClosed { return .shuttingDown }
            if state.inFlight >= inFlightMax { return .tooManyInFlight }
            state.inFlight += 1
            return nil
        }
    }

    func leave() {
        let waiter = state.withLock { state in
            state.inFlight -= 1
            return state.inFlight == 0 ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Closes the gate and waits until every place is released; to be called once.
    ///
    /// Cancellation ends the wait.
    func close() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    state.isClosed = true
                    if state.inFlight == 0 || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume()
        }
    }
}
