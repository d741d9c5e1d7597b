import Foundation
import Synchronization

/// Sends what was leased, a bounded number at a time, apart from the workers that lease.
///
/// What is queued when it closes is delivered as not sent; what is on its way may finish.
final class PushSender: Sendable {
    /// A leased push on its way.
    struct QueuedPush: Sendable {
        let push: Push
        let card: Card
        let device: Device
        /// Before its lease expires, with time left to record the result.
        let deadline: ContinuousClock.Instant
    }

    struct Configuration: Sendable {
        /// Sends at the same time.
        var inFlightMax = 256
        /// Pushes that wait for their turn; while they are more nothing is leased for this transport.
        var queuedMax = 2048
    }

    private struct State {
        var waiting = 0
        var isClosed = false
    }

    private let configuration: Configuration
    private let state = Mutex(State())
    private let queue: AsyncStream<QueuedPush>
    private let input: AsyncStream<QueuedPush>.Continuation

    init(configuration: Configuration = .init()) {
        self.configuration = configuration
        // Bounded by `queuedMax`, which whoever leases asks for beforehand.
        (queue, input) = AsyncStream.makeStream(of: QueuedPush.self, bufferingPolicy: .unbounded)
    }

    /// Whether more may be leased.
    var hasRoom: Bool { state.withLock { $0.waiting < configuration.queuedMax && !$0.isClosed } }
    /// Whether nothing more is to be sent.
    var isClosed: Bool { state.withLock(\.isClosed) }

    func enqueue(_ pushes: [QueuedPush]) {
        state.withLock { $0.waiting += pushes.count }
        for push in pushes { input.yield(push) }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        input.finish()
    }

    /// Delivers what is queued now, one after the other, for a process in which ``run(deliver:)`` does not run.
    ///
    /// - Returns: how many.
    func deliverQueued(deliver: (QueuedPush) async -> Void) async -> Int {
        let count = state.withLock(\.waiting)
        var pushes = queue.makeAsyncIterator()
        for _ in 0..<count {
            guard let push = await pushes.next() else { break }
            state.withLock { $0.waiting -= 1 }
            await deliver(push)
        }
        return count
    }

    /// Delivers until it is closed and empty, or its task is cancelled.
    ///
    /// - Parameter deliver: sends one push and records its result; returns soon after its task was cancelled.
    func run(deliver: @escaping @Sendable (QueuedPush) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await push in queue {
                state.withLock { $0.waiting -= 1 }
                if running == configuration.inFlightMax {
                    await group.next()
                    running -= 1
                }
                group.addTask { await deliver(push) }
                running += 1
            }
        }
    }
}
