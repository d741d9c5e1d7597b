internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// An HTTP client for each name and address, since a client looks names up by itself unless it is told an address.
final class PinnedClients: Sendable {
    struct Key: Hashable {
        let host: String
        let address: EgressAddress
    }

    /// A client that is in use until it is given back.
    struct Taken: Sendable {
        fileprivate let key: Key
        let http: HTTPClient
    }

    private struct Entry {
        let http: HTTPClient
        var uses: Int
        /// Of the last use; the lowest is the longest ago.
        var order: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var order = 0
        var isClosed = false
    }

    private let clientsMax: Int
    private let state = Mutex(State())

    init(clientsMax: Int) { self.clientsMax = clientsMax }

    /// One that never ran has connections too.
    deinit { state.withLock { state in state.entries.values.forEach { $0.http.shutdown { _ in } } } }

    /// - Returns: nil once it is shut down.
    func take(host: String, address: EgressAddress) -> Taken? {
        let key = Key(host: host, address: address)
        let (taken, evicted) = state.withLock { state -> (Taken?, HTTPClient?) in
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
            return (state.entries[key].map { Taken(key: key, http: $0.http) }, evicted)
        }
        evicted?.shutdown { _ in }
        return taken
    }

    func giveBack(_ taken: Taken) { state.withLock { $0.entries[taken.key]?.uses -= 1 } }

    /// Gives out none any more, and closes each once its last use has ended.
    func shutDown() async {
        state.withLock { $0.isClosed = true }
        while true {
            let (idle, isDone) = state.withLock { state in
                let idle = state.entries.filter { $0.value.uses == 0 }
                for key in idle.keys { state.entries[key] = nil }
                return (idle.values.map(\.http), state.entries.isEmpty)
            }
            for client in idle { try? await client.shutdown() }
            if isDone { return }
            // Each attempt has its time-out.
            try? await Task.sleep(for: .milliseconds(20))
            if Task.isCancelled { return }
        }
    }

    private static func makeClient(_ key: Key) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.dnsOverride = [key.host: key.address.description]
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4
        // Who repeats an attempt opens the next connection.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A span would have the receiver's address in it, which may hold a secret.
        configuration.tracing.tracer = nil
        return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }
}
