import Synchronization

/// Bounds concurrent tasks; the others wait in the order of their arrival.
///
/// Cancellation of a task does not end its wait: the holders of permits release them soon.
final class AsyncSemaphore: Sendable {
    /// The right to be one of them.
    struct Permit: Sendable {
        fileprivate let semaphore: AsyncSemaphore

        /// Releases the permit to the next waiter; to be called once.
        func release() { semaphore.release() }
    }

    private struct State: Sendable {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// - Parameter permits: how many may hold one at the same time.
    init(permits: Int) { state = Mutex(State(free: permits)) }

    /// Returns when a permit is free.
    func acquire() async -> Permit {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return Permit(semaphore: self)
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
