internal import Synchronization

/// The wake-ups of one open event stream: possible events, a due heartbeat, or the end.
///
/// Wake-ups without a waiter are kept, once for each kind; a heartbeat until ``next()`` returns it. For one reader.
package final class StreamSignal: Sendable {
    package enum Wake: Hashable, Sendable {
        case events
        /// Events that the source has in memory: cheaper than all of its events.
        case update
        case heartbeat
    }

    private struct State {
        var hasEvents = false
        var hasUpdate = false
        var isHeartbeatDue = false
        var isEnded = false
        var lastEvent: ServerSentEvent?
        var waiter: CheckedContinuation<Void, Never>?

        var isReady: Bool { hasEvents || hasUpdate || isHeartbeatDue || isEnded }
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes the stream poll its source.
    package func notify() { wake { $0.hasEvents = true } }

    /// Makes the stream send what its source has in memory.
    package func notifyUpdate() { wake { $0.hasUpdate = true } }

    /// Makes the stream write a comment, so that both ends detect a dead connection.
    package func heartbeat() { wake { $0.isHeartbeatDue = true } }

    /// Ends the stream before whatever would come next.
    ///
    /// - Parameter lastEvent: written before the end, where it is the first end of the stream; nil writes nothing.
    package func end(with lastEvent: ServerSentEvent? = nil) {
        wake { state in
            if !state.isEnded { state.lastEvent = lastEvent }
            state.isEnded = true
        }
    }

    /// The stream's last event, with the reason of its end; nil before the end, and where it ended without one.
    package var lastEvent: ServerSentEvent? { state.withLock(\.lastEvent) }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Whether a heartbeat is due and not yet returned by ``next()``.
    package var isHeartbeatDue: Bool { state.withLock(\.isHeartbeatDue) }

    /// Whether a heartbeat is due, which it no longer is then.
    package func takeHeartbeat() -> Bool {
        state.withLock { state in
            defer { state.isHeartbeatDue = false }
            return state.isHeartbeatDue
        }
    }

    /// Waits for the next wake-up; nil once the signal has ended, which the task's cancellation does too.
    ///
    /// A heartbeat stays due after a wake-up for events: the source may have none.
    package func next() async -> Wake? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isReady = state.withLock { state in
                    if !state.isReady { state.waiter = waiter }
                    return state.isReady
                }
                if isReady { waiter.resume() }
            }
        } onCancel: {
            end()
        }
        return state.withLock { state in
            if state.isEnded { return nil }
            if state.hasEvents {
                // All events include the update.
                (state.hasEvents, state.hasUpdate) = (false, false)
                return .events
            }
            if state.hasUpdate {
                state.hasUpdate = false
                return .update
            }
            state.isHeartbeatDue = false
            return .heartbeat
        }
    }
}
