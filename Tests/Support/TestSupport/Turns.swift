import Synchronization

/// Lets so many through at once; the others wait, first come, first served.
///
/// A wait does not end when its task is cancelled: who holds a turn gives it back soon.
final class Turns: Sendable {
    /// The right to be among them.
    struct Turn: Sendable {
        fileprivate let turns: Turns

        /// Lets the next one through; to be called once.
        func giveBack() { turns.giveBack() }
    }

    private struct State: Sendable {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(atOnce: Int) { state = Mutex(State(free: atOnce)) }

    /// Returns when it is the caller's turn.
    func take() async -> Turn {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayGo { continuation.resume() }
        }
        return Turn(turns: self)
    }

    private func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
