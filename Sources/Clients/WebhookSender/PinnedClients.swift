internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// An HTTP client per name and address, since a client resolves names itself unless it has a fixed address.
final class PinnedClients: Sendable {
    struct Key: Hashable {
        let host: String
        let address: EgressAddress
    }

    /// A client in use until it is returned.
    struct CheckedOutClient: Sendable {
        fileprivate let key: Key
        let http: HTTPClient
    }

    private struct Entry {
        let http: HTTPClient
        var uses: Int
        /// The order of the last use; the lowest is the oldest.
        var order: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var order = 0
        var isClosed = false
    }

    private let clientsMax: Int
    private let state = Mutex(State())
    /// Finishes once the clients are shut down and none is in use.
    private let drained: AsyncStream<Never>
    private let drain: AsyncStream<Never>.Continuation

    /// - Parameter clientsMax: the most kept clients; more exist only while all of them are in use.
    init(clientsMax: Int) {
        self.clientsMax = clientsMax
        (drained, drain) = AsyncStream.makeStream()
    }

    /// Clients that never ran have connections too.
    deinit { state.withLock { state in state.entries.values.forEach { $0.http.shutdown { _ in } } } }

    /// - Returns: nil once it is shut down.
    func checkOut(host: String, address: EgressAddress) -> CheckedOutClient? {
        let key = Key(host: host, address: address)
        let (client, evicted) = state.withLock { state -> (CheckedOutClient?, HTTPClient?) in
            guard !state.isClosed else { return (nil, nil) }
            state.order += 1
            var evicted: HTTPClient?
            if state.entries[key] == nil {
                if state.entries.count >= clientsMax,
                    let oldest = state.entries.filter({ $0.value.uses == 0 }).min(by: {
                        $0.value.order < $1.value.order
                    })
                {
                    evicted = state.entries.removeValue(forKey: oldest.key)?.http
                }
                state.entries[key] = Entry(http: Self.makeClient(key), uses: 0, order: 0)
            }
            state.entries[key]?.uses += 1
            state.entries[key]?.order = state.order
            return (state.entries[key].map { CheckedOutClient(key: key, http: $0.http) }, evicted)
        }
        evicted?.shutdown { _ in }
        return client
    }

    func checkIn(_ client: CheckedOutClient) {
        let closed = state.withLock { state -> HTTPClient? in
            state.entries[client.key]?.uses -= 1
            guard state.isClosed, state.entries[client.key]?.uses == 0 else { return nil }
            return state.entries.removeValue(forKey: client.key)?.http
        }
        closed?.shutdown { _ in }
        finishIfDrained()
    }

    /// Lends no further clients, and waits until all are returned; each is closed then.
    ///
    /// Cancellation ends the wait.
    func shutDown() async {
        let idle = state.withLock { state in
            state.isClosed = true
            let idle = state.entries.filter { $0.value.uses == 0 }
            for key in idle.keys { state.entries[key] = nil }
            return idle.values.map(\.http)
        }
        // Only a client that was shut down before throws, and each entry is removed with its client.
        for client in idle { try? await client.shutdown() }
        finishIfDrained()
        for await _ in drained {}
    }

    private func finishIfDrained() {
        if state.withLock({ $0.isClosed && $0.entries.isEmpty }) { drain.finish() }
    }

    private static func makeClient(_ key: Key) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        // One connection of HTTP/2 would carry all attempts, and go on doing so for minutes after it died in silence: a
        // time-out ends its stream alone.
        configuration.httpVersion = .http1Only
        configuration.dnsOverride = [key.host: key.address.description]
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.idleTimeout = .seconds(30)
        // As many connections as concurrent attempts: an attempt that waited for another one's connection would exceed
        // its time-out without the receiver's fault.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        // A repeat by the caller opens the next connection.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A span would have the receiver's address in it, which may hold a secret.
        configuration.tracing.tracer = nil
        return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }
}
