internal import Synchronization

/// What wakes one open event stream: that there may be events, that a heartbeat is due, or that it ends.
///
/// What comes while nobody waits is kept, once for each kind; a heartbeat until it was taken. For one reader.
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

    /// Has the stream ask its source.
    package func notify() {
        state.withLock { $0.hasEvents = true }
        wake.yield()
    }

    /// Has the stream write a comment, so that both ends notice a dead connection.
    package func heartbeat() {
        state.withLock { $0.isHeartbeatDue = true }
        wake.yield()
    }

    /// Whether a heartbeat was asked for and not yet taken.
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

    /// Waits for the next thing to do; nil once it has ended, or its task was cancelled.
    ///
    /// Where there may be events a heartbeat stays due: there may be none after all.
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
