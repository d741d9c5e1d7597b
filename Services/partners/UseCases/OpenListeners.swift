import DeclaredMetrics
import DoorstepAPI
import Logging
import ServiceRuntime
import Synchronization

/// A program that follows events by a stream.
struct Listener: StreamReader {
    /// Open streams of one caller; one more is refused with 429.
    static let perCallerMax = 5

    /// The caller of the API.
    let owner: String
    /// Whether its endpoint's row is written: until then a missing row does not end the stream.
    var isStored = false
}

/// The streams of listeners that are open in this process.
final class OpenListeners: Sendable {
    let streams: OpenStreams<ListenerStream, Listener>
    private let closed: ClosedListeners

    private final class ClosedListeners: Sendable {
        let streams = Mutex<Set<ListenerStream>>([])
    }

    init(logger: Logger, elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        let closed = ClosedListeners()
        self.closed = closed
        streams = OpenStreams(
            "listeners", gauge: WebhookMetrics.listeners.meter(), logger: logger, elapsed: elapsed
        ) { change, _ in
            if case .closed(let stream) = change { closed.streams.withLock { _ = $0.insert(stream.topic) } }
        }
    }

    /// Opens the stream of a listener, whose row is written after that.
    ///
    /// - Returns: nil where the caller has reached ``Listener/perCallerMax``.
    func open(_ stream: ListenerStream, for caller: String) -> StreamSlot? {
        streams.open(stream, for: Listener(owner: caller)) {
            $0.count(of: caller) < Listener.perCallerMax ? .admitted() : .refused
        }
    }

    /// Notes that the row of a stream's listener is written.
    func stored(_ stream: ListenerStream) {
        streams.update(stream) { listener in
            listener.isStored = true
            return false
        }
    }

    /// Ends the former streams of a listener that this one continues.
    func endFormer(of stream: ListenerStream) {
        streams.end { $0.topic.listener == stream.listener && $0.topic != stream }
    }

    /// Empties the streams that have closed, and returns them.
    func drainClosed() -> Set<ListenerStream> {
        closed.streams.withLock { streams in
            defer { streams = [] }
            return streams
        }
    }
}
