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

/// The listeners whose streams are open in this process, by their endpoints.
final class OpenListeners: Sendable {
    let streams: OpenStreams<EndpointID, Listener>
    private let closed: ClosedListeners

    private final class ClosedListeners: Sendable {
        let endpoints = Mutex<Set<EndpointID>>([])
    }

    init(logger: Logger, elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        let closed = ClosedListeners()
        self.closed = closed
        streams = OpenStreams(
            "listeners", gauge: WebhookMetrics.listeners.meter(), logger: logger, elapsed: elapsed
        ) { change, _ in
            if case .closed(let stream) = change { closed.endpoints.withLock { _ = $0.insert(stream.topic) } }
        }
    }

    /// Opens the stream of a listener, whose row is written after that.
    ///
    /// - Returns: nil where the caller has reached ``Listener/perCallerMax``.
    func open(_ endpoint: EndpointID, for caller: String) -> StreamSlot? {
        streams.open(endpoint, for: Listener(owner: caller)) {
            $0.count(of: caller) < Listener.perCallerMax ? .admitted() : .refused
        }
    }

    /// Notes that a listener's row is written.
    func stored(_ endpoint: EndpointID) {
        streams.update(endpoint) { listener in
            listener.isStored = true
            return false
        }
    }

    /// Empties the listeners whose streams have closed, and returns them.
    func drainClosed() -> Set<EndpointID> {
        closed.endpoints.withLock { endpoints in
            defer { endpoints = [] }
            return endpoints
        }
    }
}
