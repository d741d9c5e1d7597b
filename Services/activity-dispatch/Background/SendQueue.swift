import Foundation
import Synchronization

/// Sends what was decided, a bounded number at a time, apart from the workers that decide.
///
/// What is queued when it closes is delivered as not sent; what is on its way may finish.
final class SendQueue<Item: Sendable>: Sendable {
    typealias Configuration = SendQueueConfiguration

    private struct State {
        var waiting = 0
        var isClosed = false
    }

    private let configuration: Configuration
    private let state = Mutex(State())
    private let queue: AsyncStream<Item>
    private let input: AsyncStream<Item>.Continuation

    init(configuration: Configuration = .init()) {
        self.configuration = configuration
        // Bounded by `queuedMax`, which whoever decides asks for beforehand.
        (queue, input) = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .unbounded)
    }

    /// Whether more may be decided.
    var hasRoom: Bool { state.withLock { $0.waiting < configuration.queuedMax && !$0.isClosed } }
    /// Whether nothing more is to be sent.
    var isClosed: Bool { state.withLock(\.isClosed) }

    func enqueue(_ items: [Item]) {
        state.withLock { $0.waiting += items.count }
        for item in items { input.yield(item) }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        input.finish()
    }

    /// Delivers what is queued now, one after the other, for a process in which ``run(deliver:)`` does not run.
    ///
    /// - Returns: how many.
    func deliverQueued(deliver: (Item) async -> Void) async -> Int {
        let count = state.withLock(\.waiting)
        var items = queue.makeAsyncIterator()
        for _ in 0..<count {
            guard let item = await items.next() else { break }
            state.withLock { $0.waiting -= 1 }
            await deliver(item)
        }
        return count
    }

    /// Delivers until it is closed and empty, or its task is cancelled.
    ///
    /// - Parameter deliver: sends one item and records its result; returns soon after its task was cancelled.
    func run(deliver: @escaping @Sendable (Item) async -> Void) async {
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

struct SendQueueConfiguration: Sendable {
    /// Sends at the same time.
    var inFlightMax = 256
    /// What waits for its turn; while there is more nothing more is decided.
    var queuedMax = 2048
}
