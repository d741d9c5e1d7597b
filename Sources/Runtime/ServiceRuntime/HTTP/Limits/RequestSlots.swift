internal import DeclaredMetrics
internal import Metrics
internal import Synchronization

/// Bounds the requests that are processed concurrently, in total and per caller.
///
/// A request has a slot while there is work to do for it, never while its body is awaited or its answer is written.
package final class RequestSlots: Sendable {
    private let capacity: Mutex<SharedCapacity>
    private let gauge: Gauge
    private let metrics: MetricsRegistry

    init(configuration: HTTPConfiguration, metrics: MetricsRegistry) {
        capacity = Mutex(
            SharedCapacity(
                max: configuration.inFlightRequestsMax, callerMax: configuration.callerInFlightRequestsMax))
        gauge = HTTPMetrics.inFlight.gauge(in: metrics)
        self.metrics = metrics
    }

    /// Runs `work` in a slot.
    ///
    /// - Parameter caller: the slot's caller, such as `AppContext.caller`; nil where it is not known yet.
    /// - Throws: ``Problem``: 429 at the caller's limit, 503 when all slots are in use; and the error of `work`.
    package func with<Answer>(
        caller: String?, _ work: () async throws -> Answer
    ) async throws -> Answer {
        try acquire(caller)
        defer { release(caller) }
        return try await work()
    }

    fileprivate func acquire(_ caller: String?) throws {
        let refusal = capacity.withLock { capacity in
            defer { gauge.record(capacity.inUse) }
            return capacity.acquire(1, of: caller)
        }
        guard let refusal else { return }
        switch refusal {
        case .caller:
            HTTPMetrics.refused.counter([("reason", "caller_slots")], in: metrics).increment()
            throw Problem.tooManyRequests(retryAfterSeconds: 1)
        case .total:
            HTTPMetrics.refused.counter([("reason", "slots")], in: metrics).increment()
            throw Problem.unavailable("too many requests at once", retryAfterSeconds: 1)
        }
    }

    fileprivate func release(_ caller: String?) {
        capacity.withLock { capacity in
            capacity.release(1, of: caller)
            gauge.record(capacity.inUse)
        }
    }
}

/// A request's slot, which it may give back and acquire again.
final class HeldSlot: Sendable {
    private let slots: RequestSlots
    private let caller: String
    private let isHeld = Mutex(false)

    init(of slots: RequestSlots, caller: String) {
        self.slots = slots
        self.caller = caller
    }

    /// - Throws: as ``RequestSlots/with(caller:_:)``.
    func acquire() throws {
        try isHeld.withLock { isHeld in
            guard !isHeld else { return }
            try slots.acquire(caller)
            isHeld = true
        }
    }

    func release() {
        isHeld.withLock { isHeld in
            if isHeld { slots.release(caller) }
            isHeld = false
        }
    }
}

extension AppContext {
    /// The key of limits: a token's role, subject and only store, or the network without a token.
    package var caller: String {
        identity.map { identity in
            "\(identity.role.rawValue) \(identity.subject)\(identity.store.map { " of \($0)" } ?? "")"
        } ?? "address \(remoteNetwork)"
    }

    /// Does the work in a slot, where the port has slots.
    ///
    /// - Parameter caller: as of ``RequestSlots/with(caller:_:)``.
    /// - Throws: as that.
    package func withSlot<Answer>(of caller: String?, _ work: () async throws -> Answer) async throws -> Answer {
        guard let slots else { return try await work() }
        return try await slots.with(caller: caller, work)
    }
}
