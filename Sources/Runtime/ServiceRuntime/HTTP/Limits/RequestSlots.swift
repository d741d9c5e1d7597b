internal import DeclaredMetrics
internal import Hummingbird
internal import Metrics
internal import Synchronization

/// Requests that are worked on at once: at most so many, and at most so many of one caller.
///
/// A request has a slot while there is work to do for it, never while its body is awaited or its answer is written.
package final class RequestSlots: Sendable {
    private struct State {
        var inUse = 0
        var byCaller: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let slotsMax: Int
    private let callerSlotsMax: Int
    private let gauge: Gauge
    private let metrics: MetricsRegistry

    init(configuration: HTTPConfiguration, metrics: MetricsRegistry) {
        slotsMax = configuration.inFlightRequestsMax
        callerSlotsMax = configuration.callerInFlightRequestsMax
        gauge = HTTPMetrics.inFlight.gauge(in: metrics)
        self.metrics = metrics
    }

    /// Does the work in a slot.
    ///
    /// - Parameter caller: whose it is, such as `AppContext.caller`; nil where that is not known yet.
    /// - Throws: ``Problem``: 429 when this caller has its share already, 503 when all are in use; and what the work throws.
    package func with<Answer>(
        caller: String?, _ work: () async throws -> Answer
    ) async throws -> Answer {
        try take(caller)
        defer { free(caller) }
        return try await work()
    }

    private func take(_ caller: String?) throws {
        let refusal = state.withLock { state -> Refusal? in
            let own = caller.map { state.byCaller[$0, default: 0] } ?? 0
            if own >= callerSlotsMax { return .caller }
            if state.inUse >= slotsMax { return .total }
            state.inUse += 1
            if let caller { state.byCaller[caller] = own + 1 }
            gauge.record(state.inUse)
            return nil
        }
        guard let refusal else { return }
        HTTPMetrics.refused.counter([("reason", refusal.rawValue)], in: metrics).increment()
        switch refusal {
        case .caller: throw Problem.tooManyRequests(retryAfterSeconds: 1)
        case .total: throw Problem.unavailable("too many requests at once", retryAfterSeconds: 1)
        }
    }

    private enum Refusal: String {
        case caller = "caller_slots"
        case total = "slots"
    }

    private func free(_ caller: String?) {
        state.withLock { state in
            state.inUse -= 1
            gauge.record(state.inUse)
            guard let caller else { return }
            let left = state.byCaller[caller, default: 1] - 1
            state.byCaller[caller] = left > 0 ? left : nil
        }
    }
}

extension AppContext {
    /// What limits count by: a token's role and subject, or the address without one.
    package var caller: String {
        identity.map { "\($0.role.rawValue) \($0.subject)" } ?? "address \(remoteAddress ?? "")"
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
