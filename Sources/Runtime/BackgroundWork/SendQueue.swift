internal import ServiceLifecycle
internal import Synchronization

/// Sends queued items over a network, with bounded concurrency, independently of the workers that queue them.
///
/// Items still queued at the close are delivered as not sent; items in flight may finish.
package final class SendQueue<Item: Sendable>: Sendable {
    private struct State {
        var waiting = 0
        var isClosed = false
    }

    private let configuration: SendQueueConfiguration
    private let state = Mutex(State())
    private let queue: AsyncStream<Item>
    private let input: AsyncStream<Item>.Continuation

    package init(configuration: SendQueueConfiguration = .init()) {
        self.configuration = configuration
        // Bounded by `queuedMax`: the workers ask ``hasRoom`` before they decide.
        (queue, input) = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .unbounded)
    }

    /// Whether more may be decided.
    package var hasRoom: Bool { state.withLock { $0.waiting < configuration.queuedMax && !$0.isClosed } }
    /// Whether nothing more is to be sent.
    package var isClosed: Bool { state.withLock(\.isClosed) }

    package func enqueue(_ items: [Item]) {
        state.withLock { $0.waiting += items.count }
        for item in items { input.yield(item) }
    }

    /// Delivers the queued items, one after the other, for a process in which
    /// ``run(drainTimeout:deliver:whileRunning:)`` does not run.
    ///
    /// - Returns: the number of delivered items.
    package func deliverQueued(deliver: (Item) async -> Void) async -> Int {
        let count = state.withLock(\.waiting)
        var items = queue.makeAsyncIterator()
        for _ in 0..<count {
            guard let item = await items.next() else { break }
            state.withLock { $0.waiting -= 1 }
            await deliver(item)
        }
        return count
    }

    /// Delivers while `work` queues, until graceful shutdown; then closes the queue, and waits for items in flight
    /// within the drain time-out.
    ///
    /// - Parameters:
    ///   - deliver: sends one item and records its result; returns soon after its task was cancelled.
    ///   - work: cancelled at graceful shutdown.
    package func run(
        drainTimeout: Duration, deliver: @escaping @Sendable (Item) async -> Void,
        whileRunning work: @escaping @Sendable () async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.deliverUntilClosed(deliver) }
            await cancelWhenGracefulShutdown { await work() }
            close()
            // Cancellation ends the sleep once the queue is delivered.
            group.addTask { try? await Task.sleep(for: drainTimeout) }
            // Everything was delivered, or the time is up.
            await group.next()
            group.cancelAll()
        }
    }

    /// Closes the queue, and delivers waiting items as not sent.
    package func close() {
        state.withLock { $0.isClosed = true }
        input.finish()
    }

    private func deliverUntilClosed(_ deliver: @escaping @Sendable (Item) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await item in queue {
                state.withLock { $0.waiting -= 1 }
                if running == configuration.inFlightMax {
                    await group.next()
                    running -= 1
                }
                group.addTask { await deliver(item) }
                running += 1
            }
        }
    }
}

package struct SendQueueConfiguration: Sendable {
    /// Sends at the same time.
    package var inFlightMax = 256
    /// Items that wait for their turn; while there are more, nothing more is decided.
    package var queuedMax = 2048

    package init() {}
}
