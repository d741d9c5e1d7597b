import CPostgres
import Dispatch
import Synchronization

/// A connection's state, readable and interruptible from other threads while its own thread is inside libpq.
///
/// A cancel request names a connection, not a statement, so a late request would hit the next statement. Hence a
/// connection that was asked to cancel never runs another.
final class StatementMonitor: Sendable {
    enum Phase: Equatable {
        case idle
        case running
        case interrupted(at: ContinuousClock.Instant)
    }

    private struct State {
        var phase = Phase.idle
        var isReusable = true
        var isReadOnly = false
    }

    private let state = Mutex(State())
    private let handle: CancelHandle

    init(_ handle: consuming CancelHandle) { self.handle = handle }

    /// False from the first sign that the connection must not be used again.
    var isReusable: Bool { state.withLock { $0.isReusable } }

    /// When the statement under way was interrupted; nil when it was not.
    var interruptedAt: ContinuousClock.Instant? {
        state.withLock { if case .interrupted(let instant) = $0.phase { instant } else { nil } }
    }

    /// False when the connection cannot run another statement.
    func begin() -> Bool {
        state.withLock { state in
            guard state.isReusable, state.phase == .idle else { return false }
            state.phase = .running
            return true
        }
    }

    func end() { state.withLock { $0.phase = .idle } }

    func discard() { state.withLock { $0.isReusable = false } }

    /// True once the server refused a write as read-only.
    var isReadOnly: Bool { state.withLock { $0.isReadOnly } }

    /// Marks the server as read-only; the connection is not used again.
    func noteReadOnly() {
        state.withLock { state in
            state.isReadOnly = true
            state.isReusable = false
        }
    }

    /// Asks the server to stop the running statement, from another thread; does nothing between statements.
    func interrupt() {
        let mustCancel = state.withLock { state in
            guard state.phase == .running else { return false }
            state.phase = .interrupted(at: .now)
            state.isReusable = false
            return true
        }
        // PQcancel opens a connection of its own and waits for the server to close it, so not on the caller's thread.
        if mustCancel { DispatchQueue.global().async { self.handle.cancel() } }
    }
}

/// libpq's cancel object for one connection.
struct CancelHandle: ~Copyable, Sendable {
    /// "The PGcancel object is read-only as far as PQcancel is concerned, so it can also be invoked from a thread that
    /// is separate from the one manipulating the PGconn object" (manual, 34.7).
    private nonisolated(unsafe) let request: OpaquePointer?

    init(_ connection: OpaquePointer) { request = PQgetCancel(connection) }

    deinit { PQfreeCancel(request) }

    borrowing func cancel() {
        guard let request else { return }
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // A cancel request that could not be sent needs no report: the waiting side has a time-out.
            _ = PQcancel(request, buffer.baseAddress, Int32(buffer.count))
        }
    }
}
