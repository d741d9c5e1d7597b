internal import FlowControl
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// Resolves names as the system does, on its own threads, since a look-up may block for minutes and cannot be stopped.
///
/// Concurrent look-ups of a name share one thread. A name whose last look-up was slow uses one of a few threads for
/// such names: unresponsive name servers delay others only while many slow names are new.
final class NameResolver: Sendable {
    /// The addresses of a name; blocks its thread until they are found.
    typealias Find = @Sendable (String) throws -> [EgressAddress]

    /// The one that asks the system.
    static let system = NameResolver(
        threads: NameResolver.startedThreads(64), slowThreads: NameResolver.startedThreads(16),
        find: { try NameResolver.systemAddresses(of: $0) })

    /// Upper bound of names known to be slow; above it all are forgotten, which costs each name one slow look-up.
    private static let slowNamesMax = 4_096
    /// The time for which a name counts as slow: the threads for slow names may be too busy to find out that it has
    /// recovered.
    private static let slowFor = Duration.seconds(300)

    private typealias Wait = CancellableWait<[EgressAddress]>

    private struct State {
        /// The waiters of each name whose look-up runs or is queued.
        var waits: [String: [Wait]] = [:]
        /// Names whose last look-up was slow, with the look-up's end.
        var slow: [String: ContinuousClock.Instant] = [:]
    }

    private let threads: NIOThreadPool
    private let slowThreads: NIOThreadPool
    private let slowAfter: Duration
    private let patience: Duration
    private let find: Find
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: a started pool, as is `slowThreads`; its size bounds the concurrent look-ups.
    ///   - slowThreads: for names whose last look-up exceeded `slowAfter`.
    ///   - patience: the longest wait, the wait for a thread included.
    init(
        threads: NIOThreadPool, slowThreads: NIOThreadPool, slowAfter: Duration = .seconds(2),
        patience: Duration = .seconds(10), find: @escaping Find
    ) {
        self.threads = threads
        self.slowThreads = slowThreads
        self.slowAfter = slowAfter
        self.patience = patience
        self.find = find
    }

    private static func startedThreads(_ count: Int) -> NIOThreadPool {
        let threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        return threads
    }

    /// The number of waiters for a name.
    func waiting(for host: String) -> Int { state.withLock { $0.waits[host]?.count ?? 0 } }

    /// Every address of a name, without duplicates, in the system's order; a literal address is its own result.
    ///
    /// Cancellation ends the wait at once; a look-up that has begun continues.
    /// - Throws: ``WebhookFailure/notResolved`` where the look-up fails or exceeds the time-out.
    func addresses(of host: String) async throws -> [EgressAddress] {
        guard let addresses = try await withTimeLimit(patience, { try await self.wait(for: host) }) else {
            throw WebhookFailure.notResolved
        }
        return addresses
    }

    private func wait(for host: String) async throws -> [EgressAddress] {
        let wait = Wait()
        defer { remove(wait, of: host) }
        return try await wait.value { add(wait, of: host) }
    }

    /// Adds a wait to the name's look-up, and queues a look-up where there is none.
    private func add(_ wait: Wait, of host: String) {
        let lane: NIOThreadPool? = state.withLock { state in
            let isFirst = state.waits[host] == nil
            state.waits[host, default: []].append(wait)
            guard isFirst else { return nil }
            let isSlow = state.slow[host].map { $0 + Self.slowFor > .now } ?? false
            return isSlow ? slowThreads : threads
        }
        lane?.submit { _ in self.resolve(host) }
    }

    private func remove(_ wait: Wait, of host: String) {
        state.withLock { state in _ = state.waits[host]?.removeAll { $0 === wait } }
    }

    /// Resolves a name, unless its last waiter has left.
    private func resolve(_ host: String) {
        let isWanted: Bool = state.withLock { state in
            guard state.waits[host]?.isEmpty ?? true else { return true }
            state.waits[host] = nil
            return false
        }
        guard isWanted else { return }
        let began = ContinuousClock.now
        let outcome = Result { try find(host) }
        let isSlow = ContinuousClock.now - began >= slowAfter
        let waits: [Wait] = state.withLock { state in
            if state.slow.count >= Self.slowNamesMax { state.slow = [:] }
            state.slow[host] = isSlow ? .now : nil
            return state.waits.removeValue(forKey: host) ?? []
        }
        for wait in waits { wait.end(with: outcome) }
    }

    private static func systemAddresses(of host: String) throws -> [EgressAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0, let first else { throw WebhookFailure.notResolved }
        defer { freeaddrinfo(first) }
        var addresses: [EgressAddress] = []
        var next: UnsafeMutablePointer<addrinfo>? = first
        while let info = next?.pointee {
            if let address = EgressAddress(info), !addresses.contains(address) { addresses.append(address) }
            next = info.ai_next
        }
        guard !addresses.isEmpty else { throw WebhookFailure.notResolved }
        return addresses
    }
}

extension EgressAddress {
    fileprivate init?(_ info: addrinfo) {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        // The part after the sign is an interface of this machine.
        let digits = text.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 && $0 != UInt8(ascii: "%") }
        self.init(String(decoding: digits, as: UTF8.self))
    }
}
