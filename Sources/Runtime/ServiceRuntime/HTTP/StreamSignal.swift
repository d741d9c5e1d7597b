internal import Synchronization

/// The wake-ups of one open event stream: possible events, a due heartbeat, or the end.
///
/// Wake-ups without a waiter are kept, once for each kind; a heartbeat until ``next()`` returns it. For one reader.
package final class StreamSignal: Sendable {
    package enum Wake: Hashable, Sendable {
        case events
        case heartbeat
    }

    private struct State {
        var hasEvents = false
        var isHeartbeatDue = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    package init() {
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Makes the stream poll its source.
    package func notify() {
        state.withLock { $0.hasEvents = true }
        wake.yield()
    }

    /// Makes the stream write a comment, so that both ends detect a dead connection.
    package func heartbeat() {
        state.withLock { $0.isHeartbeatDue = true }
        wake.yield()
    }

    /// Whether a heartbeat is due and not yet returned by ``next()``.
    package var isHeartbeatDue: Bool { state.withLock(\.isHeartbeatDue) }

    /// Ends the stream before whatever would come next.
    package func end() {
        state.withLock { $0.isEnded = true }
        wake.finish()
    }

    /// Whether a heartbeat is due, which it no longer is then.
    package func takeHeartbeat() -> Bool {
        state.withLock { state in
            defer { state.isHeartbeatDue = false }
            return state.isHeartbeatDue
        }
    }

    /// Waits for the next wake-up; nil once the signal has ended, or the task was cancelled.
    ///
    /// A heartbeat stays due after a wake-up for events: the source may have none.
    package func next() async -> Wake? {
        for await _ in wakes {
            let (next, isEnded): (Wake?, Bool) = state.withLock { state in
                if state.hasEvents {
                    state.hasEvents = false
                    return (.events, state.isEnded)
                }
                defer { state.isHeartbeatDue = false }
                return (state.isHeartbeatDue ? .heartbeat : nil, state.isEnded)
            }
            if isEnded { return nil }
            if let next { return next }
        }
        return nil
    }
}
