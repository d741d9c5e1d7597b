internal import DeclaredMetrics
package import Foundation
package import Hummingbird
internal import Metrics
internal import Synchronization

/// The memory of a port's bodies, bounded in total and per caller.
///
/// The first bytes of each body are not counted, so that large bodies block no small one: the number of connections
/// bounds those.
final class BodyMemory: Sendable {
    /// Bytes of a body that are not counted.
    static let uncountedBytes = 16 * 1_024

    private let capacity: Mutex<SharedCapacity>
    private let gauge: Gauge
    private let metrics: MetricsRegistry

    init(configuration: HTTPConfiguration, metrics: MetricsRegistry) {
        capacity = Mutex(
            SharedCapacity(max: configuration.heldBodyBytesMax, callerMax: configuration.callerHeldBodyBytesMax))
        gauge = HTTPMetrics.heldBodyBytes.gauge(in: metrics)
        self.metrics = metrics
    }

    /// - Throws: ``Problem``: 429 when this caller has its share already, 503 when there is no room.
    fileprivate func acquire(_ bytes: Int, of caller: String) throws {
        let refusal = capacity.withLock { capacity in
            defer { gauge.record(capacity.inUse) }
            return capacity.acquire(bytes, of: caller)
        }
        guard let refusal else { return }
        switch refusal {
        case .caller:
            HTTPMetrics.refused.counter([("reason", "caller_body_bytes")], in: metrics).increment()
            throw Problem.tooManyRequests(retryAfterSeconds: 1)
        case .total:
            HTTPMetrics.refused.counter([("reason", "body_bytes")], in: metrics).increment()
            throw Problem.unavailable("too many large requests at once", retryAfterSeconds: 1)
        }
    }

    fileprivate func release(_ bytes: Int, of caller: String) {
        capacity.withLock { capacity in
            capacity.release(bytes, of: caller)
            gauge.record(capacity.inUse)
        }
    }
}

/// The bytes of one request's body, until the request is answered.
///
/// Counted bytes arrive no faster than their caller's rate for large bodies.
final class HeldBody: Sendable {
    private struct State {
        var bytes = 0
        var counted: [String: Int] = [:]
    }

    private let memory: BodyMemory
    private let pacer: BodyPacer
    private let state = Mutex(State())

    init(_ memory: BodyMemory, _ pacer: BodyPacer) {
        self.memory = memory
        self.pacer = pacer
    }

    /// Returns when the next bytes may be read.
    ///
    /// - Throws: ``Problem``, as ``BodyMemory/acquire(_:of:)`` and ``BodyPacer/wait(for:of:)``; `CancellationError`.
    func add(_ bytes: Int, of caller: String) async throws {
        let more = state.withLock { state in
            let before = max(state.bytes, BodyMemory.uncountedBytes)
            state.bytes += bytes
            return max(0, state.bytes - before)
        }
        guard more > 0 else { return }
        try memory.acquire(more, of: caller)
        state.withLock { $0.counted[caller, default: 0] += more }
        try await pacer.wait(for: more, of: caller)
    }

    /// Releases all of it.
    func release() {
        let counted = state.withLock { state in
            defer { state = State() }
            return state.counted
        }
        for (caller, bytes) in counted { memory.release(bytes, of: caller) }
    }
}

extension AppContext {
    /// The whole body, counted among the port's bodies until the request is answered.
    ///
    /// - Parameter caller: the body's caller, such as ``caller``.
    /// - Throws: as `Request.bytes(maxBytes:)`, and ``Problem``: 429 at the caller's limit, 503 at the port's.
    package func bytes(of request: Request, by caller: String, maxBytes: Int) async throws -> Data {
        try await request.bytes(maxBytes: maxBytes) { try await heldBody?.add($0, of: caller) }
    }
}
