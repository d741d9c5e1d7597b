internal import FlowControl

/// The state of a pool: its connections, its waiters, and the next actions.
///
/// A value: events are methods that return actions, which the pool performs outside of its lock.
struct PoolState<Connection: Identifiable, Waiter> {
    enum Action {
        /// Open one more, then report ``connected(_:)`` or ``connectFailed(_:jitter:)``.
        case connect
        /// Report ``backOffElapsed()`` after this long.
        case backOff(Duration)
        case hand(Connection, Waiter)
        case refuse(Waiter, PostgresError)
        case close(Connection)
        /// Every connection is being replaced, for this reason.
        case retired(PostgresError)
        /// No connection is left; the shutdown's waiters can resume.
        case drained
    }

    private enum Phase { case open, draining }

    /// Jitter subtracts up to half of a delay, so that processes do not reconnect in step after a server restart.
    private static var reconnect: BackOff {
        BackOff(first: .milliseconds(50), longest: .seconds(2), jitterShare: 0.5)
    }

    /// Time since the last answer of the server after which lent connections no longer prove that it works.
    static var answerAgeMax: Duration { .seconds(5) }

    let connectionsMax: Int
    let waitersMax: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private var phase = Phase.open
    /// The most recently used last, and used first: the others may be closed by the server's idle timeout.
    private var idle: [Connection] = []
    private var leased: [Connection.ID: Connection] = [:]
    /// The open connections to close when they are released.
    private var retired: Set<Connection.ID> = []
    private var connecting = 0
    private var waiters: [(id: Int, waiter: Waiter)] = []
    private var connectionsMin = 0
    private var isBackingOff = false
    private(set) var failedAttempts = 0
    private(set) var lastFailure: PostgresError?
    /// When the server last answered: a connection was opened, or came back intact.
    private var answeredAt: ContinuousClock.Instant?

    /// - Parameter now: the time by which the age of the server's last answer is measured.
    init(
        connectionsMax: Int, waitersMax: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.connectionsMax = connectionsMax
        self.waitersMax = waitersMax
        self.now = now
    }

    var connectionCount: Int { idle.count + leased.count }
    var isDrained: Bool { phase == .draining && leased.isEmpty && connecting == 0 }
    var isReady: Bool { phase == .open && connectionCount > 0 && outage == nil }
    /// The last failure to connect, unless the open connections work: then only one more could not be opened.
    private var outage: PostgresError? {
        guard let lastFailure else { return nil }
        guard connectionCount > retired.count, let answeredAt else { return lastFailure }
        return now() - answeredAt < Self.answerAgeMax ? nil : lastFailure
    }
    var leasedConnections: [Connection] { Array(leased.values) }

    /// Keeps at least one connection from now on, even without demand.
    mutating func keepOneConnection() -> [Action] {
        connectionsMin = 1
        return connectAsNeeded()
    }

    /// An idle connection, if one exists; no borrower waits then, so this overtakes none.
    mutating func acquireIdle() -> Connection? {
        guard phase == .open, let connection = idle.popLast() else { return nil }
        leased[connection.id] = connection
        return connection
    }

    /// Serves a caller with an idle connection, or queues the caller behind earlier ones.
    mutating func acquire(_ waiter: Waiter, id: Int) -> [Action] {
        guard phase == .open else { return [.refuse(waiter, PostgresError(.closed, "the pool is shut down"))] }
        if let connection = acquireIdle() { return [.hand(connection, waiter)] }
        guard waiters.count < waitersMax else {
            return [.refuse(waiter, PostgresError(.poolExhausted, "\(waitersMax) callers wait already"))]
        }
        waiters.append((id, waiter))
        return connectAsNeeded()
    }

    /// A caller waited long enough.
    mutating func waiterTimedOut(_ id: Int) -> [Action] {
        var error = PostgresError(.poolExhausted, "no connection of \(connectionsMax) was free in time")
        if let outage {
            error = outage
            error.message = "there is no connection: \(outage.message)"
        }
        return refuse(id, error)
    }

    /// A caller's task was cancelled.
    mutating func waiterCancelled(_ id: Int) -> [Action] {
        refuse(id, PostgresError(.cancelled, "the task was cancelled while it waited for a connection"))
    }

    private mutating func refuse(_ id: Int, _ error: PostgresError) -> [Action] {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return [] }
        return [.refuse(waiters.remove(at: index).waiter, error)]
    }

    /// Returns a borrowed connection.
    ///
    /// - Parameter isReadOnly: whether the server refused a write as read-only. The pool then closes all its
    ///   connections opened until now: they lead to the same server, or to the former primary.
    mutating func release(_ connection: Connection, isReusable: Bool, isReadOnly: Bool = false) -> [Action] {
        guard leased.removeValue(forKey: connection.id) != nil else { return [] }
        let isRetired = retired.remove(connection.id) != nil
        guard phase == .open else { return [.close(connection)] + (isDrained ? [.drained] : []) }
        if isReadOnly, !isRetired { return [.close(connection)] + retireAll() }
        guard isReusable, !isRetired else { return [.close(connection)] + connectAsNeeded() }
        answeredAt = now()
        return offer(connection)
    }

    /// Closes idle connections now, and lent ones when they are released; the pool is not ready until a new one is
    /// open.
    private mutating func retireAll() -> [Action] {
        let reason = PostgresError(.connection, "the server takes no writes")
        lastFailure = reason
        answeredAt = nil
        retired.formUnion(leased.keys)
        let closings = idle.map { Action.close($0) }
        idle = []
        return [.retired(reason)] + closings + connectAsNeeded()
    }

    mutating func connected(_ connection: Connection) -> [Action] {
        connecting -= 1
        failedAttempts = 0
        lastFailure = nil
        answeredAt = now()
        guard phase == .open else { return [.close(connection)] + (isDrained ? [.drained] : []) }
        return offer(connection) + connectAsNeeded()
    }

    private mutating func offer(_ connection: Connection) -> [Action] {
        guard !waiters.isEmpty else {
            idle.append(connection)
            return []
        }
        leased[connection.id] = connection
        return [.hand(connection, waiters.removeFirst().waiter)]
    }

    /// An attempt to connect failed; the next is made after a back-off.
    ///
    /// - Parameter jitter: 0 to 1.
    mutating func connectFailed(_ error: PostgresError, jitter: Double) -> [Action] {
        connecting -= 1
        failedAttempts += 1
        lastFailure = error
        guard phase == .open else { return isDrained ? [.drained] : [] }
        guard !isBackingOff else { return [] }
        isBackingOff = true
        return [.backOff(Self.reconnect.delay(failures: failedAttempts, jitter: jitter))]
    }

    mutating func backOffElapsed() -> [Action] {
        isBackingOff = false
        return connectAsNeeded()
    }

    /// Lends no connections and closes idle ones; lent ones are closed when they are released.
    mutating func drain() -> [Action] {
        guard phase == .open else { return isDrained ? [.drained] : [] }
        phase = .draining
        let refusals = waiters.map { Action.refuse($0.waiter, PostgresError(.closed, "the pool is shut down")) }
        let closings = idle.map { Action.close($0) }
        waiters = []
        idle = []
        return refusals + closings + (isDrained ? [.drained] : [])
    }

    /// Opens one connection per waiter and the minimum; while the server fails, one at a time, as a probe.
    private mutating func connectAsNeeded() -> [Action] {
        guard phase == .open, !isBackingOff else { return [] }
        let wanted = max(waiters.count, connectionsMin - (connectionCount - retired.count))
        let allowed = failedAttempts > 0 ? 1 : connectionsMax - connectionCount
        let missing = min(wanted, allowed, connectionsMax - connectionCount) - connecting
        guard missing > 0 else { return [] }
        connecting += missing
        return Array(repeating: .connect, count: missing)
    }
}
