import Synchronization

/// A clock that stands still until a test moves it.
final class TurnedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var idsGiven = 0
    }

    private let state = Mutex(State())
    private let sleeps: AsyncStream<Duration>
    private let asked: AsyncStream<Duration>.Continuation

    init() { (sleeps, asked) = AsyncStream.makeStream() }

    var now: Instant { state.withLock(\.now) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.idsGiven += 1
            return state.idsGiven
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isCancelled, wait) = state.withLock { state in
                    guard !Task.isCancelled else { return (true, Duration.zero) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return (false, state.now.duration(to: deadline))
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) } else { asked.yield(wait) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits for the next sleep, moves to the end of that sleep, and returns how long it was to be.
    func passNextSleep() async -> Duration? {
        var iterator = sleeps.makeAsyncIterator()
        guard let wait = await iterator.next() else { return nil }
        let due = state.withLock { state in
            state.now = state.now.advanced(by: wait)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
        return wait
    }

    /// Waits for the next sleep and leaves it.
    func nextSleep() async -> Duration? {
        var iterator = sleeps.makeAsyncIterator()
        return await iterator.next()
    }
}
