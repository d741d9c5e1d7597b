internal import Glibc
internal import NIOPosix
internal import Synchronization

/// Looks names up as the system does, on threads of their own, since it may take minutes and cannot be stopped.
enum NameResolver {
    /// Enough that names whose servers never answer keep those of others waiting only where there are this many.
    private static let threads = {
        let threads = NIOThreadPool(numberOfThreads: 64)
        threads.start()
        return threads
    }()

    /// Every address of a name, each once, in the system's order; literal addresses are themselves.
    ///
    /// Cancellation ends the wait at once; the look-up itself goes on.
    /// - Throws: ``WebhookFailure/notResolved``.
    static func addresses(of host: String) async throws -> [EgressAddress] {
        let lookup = Lookup()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                guard lookup.wait(waiter) else { return }
                threads.submit { _ in lookup.finish(Result { try find(host) }) }
            }
        } onCancel: {
            lookup.finish(.failure(CancellationError()))
        }
    }

    private static func find(_ host: String) throws -> [EgressAddress] {
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

/// One look-up, which ends once: with what was found, or because nobody waits any more.
private final class Lookup: Sendable {
    private typealias Waiter = CheckedContinuation<[EgressAddress], any Error>

    private struct State {
        var waiter: Waiter?
        var outcome: Result<[EgressAddress], any Error>?
    }

    private let state = Mutex(State())

    /// - Returns: false where it has ended already, and the waiter with it.
    func wait(_ waiter: CheckedContinuation<[EgressAddress], any Error>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiter = waiter }
            return state.outcome
        }
        if let outcome { waiter.resume(with: outcome) }
        return outcome == nil
    }

    func finish(_ outcome: Result<[EgressAddress], any Error>) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            return state.waiter.take()
        }
        waiter?.resume(with: outcome)
    }
}

extension EgressAddress {
    fileprivate init?(_ info: addrinfo) {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        // What follows the sign is an interface of this machine.
        let digits = text.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 && $0 != UInt8(ascii: "%") }
        self.init(String(decoding: digits, as: UTF8.self))
    }
}
