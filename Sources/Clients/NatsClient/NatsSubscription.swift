internal import DeclaredMetrics
internal import Metrics
internal import Synchronization

/// The messages of one subject, for one reader.
///
/// Ends after ``unsubscribe()`` or when the reading task is cancelled; letting go of it unsubscribes.
public final class NatsSubscription: AsyncSequence, Sendable {
    public typealias Element = NatsMessage
    public typealias Failure = Never

    /// The subscription's subject, wildcards included.
    public let subject: String
    private let transport: ReconnectingConnection
    private let messages: AsyncStream<NatsMessage>
    private let buffer: AsyncStream<NatsMessage>.Continuation
    private let id = Mutex<UInt64?>(nil)
    private let drops: Drops

    private final class Drops: Sendable {
        let number = Atomic<Int>(0)
    }

    init(subject: String, bufferedMessagesMax: Int, transport: ReconnectingConnection) {
        self.subject = subject
        self.transport = transport
        drops = Drops()
        (messages, buffer) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Swift.max(1, bufferedMessagesMax)))
    }

    deinit { endNow() }

    /// Messages that were overwritten unread because the reader was slower than the subject.
    public var droppedMessages: Int { drops.number.load(ordering: .relaxed) }

    /// Ends the sequence after the buffered messages.
    public func unsubscribe() { endNow() }

    public func makeAsyncIterator() -> AsyncStream<NatsMessage>.Iterator { messages.makeAsyncIterator() }

    func begin(queue: String?) async throws {
        let receiver = MessageReceiver(live: transport.contexts) { [buffer, drops] message in
            guard case .dropped = buffer.yield(message) else { return }
            drops.number.add(1, ordering: .relaxed)
            NatsMetrics.droppedMessages.counter().increment()
        }
        let subscribed = try await transport.subscribe(subject, queue: queue, receiver: receiver)
        id.withLock { $0 = subscribed }
    }

    private func endNow() {
        buffer.finish()
        if let id = id.withLock({ $0.take() }) { transport.unsubscribe(id) }
    }
}
