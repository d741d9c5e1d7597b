import Synchronization

/// The items of a stream that wait for the program, in their order: a bounded number of events, and every other item.
///
/// Other items decide how later events are signed, so that none of them is dropped; a connection has at most three.
final class ListenQueue: Sendable {
    /// The most events that wait; further ones are dropped.
    static let eventsMax = 1_000

    let items: AsyncStream<ForwardedEventStream.Item>
    private let continuation: AsyncStream<ForwardedEventStream.Item>.Continuation
    private let events = Mutex(0)

    init() { (items, continuation) = AsyncStream.makeStream() }

    /// Appends an item.
    ///
    /// - Returns: false for an event that was dropped.
    func append(_ item: ForwardedEventStream.Item) -> Bool {
        if item.isEvent {
            let isFull = events.withLock { events in
                guard events < Self.eventsMax else { return true }
                events += 1
                return false
            }
            if isFull { return false }
        }
        continuation.yield(item)
        return true
    }

    /// Notes that an item of ``items`` waits no longer.
    func noteRemoval(of item: ForwardedEventStream.Item) {
        if item.isEvent { events.withLock { $0 -= 1 } }
    }
}

extension ForwardedEventStream.Item {
    /// Whether it is an event, of this version or a later one.
    fileprivate var isEvent: Bool {
        switch self {
        case .event, .unreadable: true
        case .ready, .lost, .missed: false
        }
    }
}
