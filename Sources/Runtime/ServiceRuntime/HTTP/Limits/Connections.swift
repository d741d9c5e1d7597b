internal import DeclaredMetrics
internal import Metrics
internal import NIOCore
internal import Synchronization

/// The connections of a port, with their channels.
final class Connections: Sendable {
    private struct State {
        var table: ConnectionTable<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let proxies: TrustedProxies
    private let gauge: Gauge
    private let replaced: Counter
    private let refused: Counter

    init(configuration: HTTPConfiguration, metrics: MetricsRegistry) {
        state = Mutex(
            State(
                table: ConnectionTable(
                    connectionsMax: configuration.connectionsMax,
                    addressConnectionsMax: configuration.addressConnectionsMax)))
        proxies = configuration.trustedProxies
        gauge = HTTPMetrics.connections.gauge(in: metrics)
        replaced = HTTPMetrics.connectionsClosed.counter([("reason", "idle")], in: metrics)
        refused = HTTPMetrics.connectionsClosed.counter([("reason", "refused")], in: metrics)
    }

    /// - Returns: false where the channel must be closed at once.
    func open(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let peer = channel.remoteAddress?.ipAddress ?? ""
        // Behind a proxy are many callers, and which of them a connection is for changes with each request.
        let address = proxies.contains(peer) ? nil : network(of: peer)
        let (isAccepted, former) = state.withLock { state -> (Bool, (any Channel)?) in
            let admission = state.table.open(id, from: address)
            var former: (any Channel)?
            if case .replacing(let idle) = admission { former = state.channels.removeValue(forKey: idle) }
            if admission != .refused { state.channels[id] = channel }
            gauge.record(state.table.count)
            return (admission != .refused, former)
        }
        if !isAccepted { refused.increment() }
        if let former {
            replaced.increment()
            former.close(promise: nil)
        }
        return isAccepted
    }

    func begin(_ channel: any Channel) { state.withLock { $0.table.begin(ObjectIdentifier(channel)) } }

    func end(_ channel: any Channel) { state.withLock { $0.table.end(ObjectIdentifier(channel)) } }

    func close(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            state.channels[id] = nil
            state.table.close(id)
            gauge.record(state.table.count)
        }
    }
}
