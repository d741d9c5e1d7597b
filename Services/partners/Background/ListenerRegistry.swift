import DeclaredMetrics
import DoorstepAPI
import Logging
import Metrics
import PostgresClient
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// The streams by which programs follow events without an address of their own, and what wakes them.
final class ListenerRegistry: Service {
    /// Open streams of one caller; one more is refused with 429.
    static let listenersPerCallerMax = 5
    /// Without anything for so long, a stream is sent a heartbeat, and noted as open.
    static let heartbeatSeconds = 15
    /// For how long a note holds: a listener without another one is of a process that is no more.
    static let openSeconds = 60.0

    private struct Listener {
        let signal: StreamSignal
        let caller: String
    }

    private struct State {
        var listeners: [EndpointID: Listener] = [:]
        var closed: Set<EndpointID> = []
        /// Places of callers whose streams are about to open.
        var reserved: [String: Int] = [:]
        var second = 0
    }

    private let pool: PostgresPool
    private let logger: Logger
    private let state = Mutex(State())

    init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// One open stream; its endpoint is deleted after the last reference to this.
    final class Slot: Sendable {
        let signal: StreamSignal
        private let close: @Sendable () -> Void

        fileprivate init(_ signal: StreamSignal, close: @escaping @Sendable () -> Void) {
            self.signal = signal
            self.close = close
        }

        deinit { close() }
    }

    /// How many streams are open here.
    var openStreams: Int { state.withLock(\.listeners.count) }

    /// Keeps a place for one more stream of a caller, until ``release(_:)``; false where all are taken.
    func reserve(for caller: String) -> Bool {
        state.withLock { state in
            let open = state.listeners.values.count { $0.caller == caller }
            guard open + state.reserved[caller, default: 0] < Self.listenersPerCallerMax else { return false }
            state.reserved[caller, default: 0] += 1
            return true
        }
    }

    /// Gives a place back that was kept: the stream is open, or will not be.
    func release(_ caller: String) {
        state.withLock { state in
            let left = state.reserved[caller, default: 1] - 1
            state.reserved[caller] = left > 0 ? left : nil
        }
    }

    func open(_ endpoint: EndpointID, caller: String) -> Slot {
        let signal = StreamSignal()
        state.withLock { $0.listeners[endpoint] = Listener(signal: signal, caller: caller) }
        WebhookMetrics.listeners.gauge().record(openStreams)
        return Slot(signal) { [weak self] in
            self?.state.withLock { state in
                state.listeners[endpoint] = nil
                state.closed.insert(endpoint)
            }
        }
    }

    /// Has every open stream look for events.
    func wake() {
        for signal in state.withLock({ $0.listeners.values.map(\.signal) }) { signal.notify() }
    }

    /// Beats every second until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                await self.beat()
            }
        }
    }

    /// One second has passed: what another replica queued is looked for, and what was closed is deleted.
    func beat() async {
        let (closed, open, isHeartbeat) = state.withLock { state in
            state.second += 1
            let closed = state.closed
            state.closed = []
            return (closed, state.listeners, state.second % Self.heartbeatSeconds == 0)
        }
        for listener in open.values {
            listener.signal.notify()
            if isHeartbeat { listener.signal.heartbeat() }
        }
        do {
            for endpoint in closed { try await EndpointRepository.delete(endpoint, on: pool) }
            guard isHeartbeat else { return }
            WebhookMetrics.listeners.gauge().record(open.count)
            for (endpoint, listener) in open {
                let isThere = try await EndpointRepository.noteOpen(endpoint, seconds: Self.openSeconds, on: pool)
                // Its program opens another one.
                if !isThere { listener.signal.end() }
            }
            try await EndpointRepository.deleteClosedListeners(on: pool)
        } catch {
            // Those that were closed are deleted once their time is over.
            logger.debug("Listeners of events were not tended", metadata: ["reason": "\(error)"])
        }
    }
}
