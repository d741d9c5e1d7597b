import DomainTime
import FaultInjection
import SimulationSupport
import Synchronization

/// A stack of processes whose clients reach it through proxies, as do its services their database and broker.
final class ProxiedStack: StackUnderTest {
    let processes: ProcessStack
    private let proxies: [ProcessStack.Replica: Proxy]
    /// Of Postgres one for each server; of `activity-dispatch` the one that phones' apps have.
    private let serverProxies: [FaultTarget: [Proxy]]
    private let running: Mutex<Set<ProcessStack.Replica>>
    private let requestCount = Atomic(0)

    /// Starts a stack with one replica of each service; a second one of each has its ports.
    ///
    /// - Parameters:
    ///   - rate: domain seconds in a wall second.
    ///   - hasStandby: whether Postgres has one.
    ///   - receiverPort: where the shop's receiver of events listens.
    static func start(rate: Double, hasStandby: Bool, receiverPort: Int) async throws -> ProxiedStack {
        let servers = Mutex<[FaultTarget: [Proxy]]>([.receiver: [try await Proxy.start(to: receiverPort)]])
        let processes = try await ProcessStack.start(
            rate: rate, replicas: 2, launched: 1, hasStandby: hasStandby, hasPhones: true,
            settings: IPhoneFleet.settings
        ) { name, port in
            let proxy = try await Proxy.start(to: port)
            if let target = FaultTarget(rawValue: name) { servers.withLock { $0[target, default: []].append(proxy) } }
            return proxy.port
        }
        var proxies: [ProcessStack.Replica: Proxy] = [:]
        for service in ServiceName.allCases {
            for number in 1...2 {
                let replica = ProcessStack.Replica(service: service, number: number)
                guard let port = processes.port(of: replica) else { continue }
                proxies[replica] = try await Proxy.start(to: port)
            }
        }
        return ProxiedStack(processes, proxies: proxies, serverProxies: servers.withLock { $0 })
    }

    private init(
        _ processes: ProcessStack, proxies: [ProcessStack.Replica: Proxy], serverProxies: [FaultTarget: [Proxy]]
    ) {
        self.processes = processes
        self.proxies = proxies
        self.serverProxies = serverProxies
        running = Mutex(Set(proxies.keys.filter { $0.number == 1 }))
    }

    var clock: DomainClock { processes.clock }
    var tokens: Tokens { processes.tokens }
    var recentWarnings: String { processes.recentWarnings }

    /// The proxy of a replica that is meant to run, round robin.
    func url(_ service: ServiceName) -> String {
        let all = running.withLock { $0.filter { $0.service == service } }.sorted { $0.number < $1.number }
        let count = requestCount.add(1, ordering: .relaxed).newValue
        let port = all.isEmpty ? 0 : proxies[all[count % all.count]]?.port ?? 0
        return "http://127.0.0.1:\(port)"
    }

    /// Where `partners` reaches the shop's receiver.
    var receiverURL: String { "http://127.0.0.1:\(serverProxies[.receiver]?.first?.port ?? 0)/events" }

    /// Sends clients to a replica, or no longer.
    func route(_ replica: ProcessStack.Replica, isRunning: Bool) {
        running.withLock { running in
            if isRunning { running.insert(replica) } else { running.remove(replica) }
        }
    }

    /// The proxies through which a target is reached.
    func proxies(to target: FaultTarget) -> [Proxy] {
        serverProxies[target, default: []]
            + proxies.filter { $0.key.service.rawValue == target.rawValue }.map(\.value)
    }

    func stop() async {
        await processes.stop()
        for proxy in Array(proxies.values) + serverProxies.values.joined() { await proxy.close() }
    }
}
