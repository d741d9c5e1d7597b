internal import FlowControl
public import Logging
public import ServiceLifecycle
import Synchronization

/// The connections of one process to one database.
///
/// The pool opens connections on demand, at most `connectionsMax`, lends them in the order of the calls, and replaces
/// broken ones. During an outage of the server callers wait up to `acquireTimeout`; afterwards the pool reconnects by
/// itself. In a `ServiceGroup` it belongs above the services that use it.
public final class PostgresPool: Service, PostgresExecutor {
    typealias Waiter = CheckedContinuation<PostgresConnection, any Error>
    typealias State = PoolState<PostgresConnection, Waiter>

    private struct Locked {
        var state: State
        var idsGiven = 0
        var backOff: Task<Void, Never>?
        var hasStoppedWaiting = false
        var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The others in a conflict need a moment to finish; all of them waiting equally long would meet again.
    private static let transactionRetry = BackOff(
        first: .milliseconds(15), longest: .milliseconds(480), jitterShare: 2 / 3)

    /// The pool's configuration.
    public let configuration: PostgresConfiguration
    let logger: Logger
    private let jitter: @Sendable () -> Double
    private let locked: Mutex<Locked>

    /// Prepares a pool; nothing connects before ``run()`` or the first use.
    public convenience init(_ configuration: PostgresConfiguration, logger: Logger) {
        self.init(configuration, logger: logger, jitter: { .random(in: 0...1) })
    }

    init(_ configuration: PostgresConfiguration, logger: Logger, jitter: @escaping @Sendable () -> Double) {
        self.configuration = configuration
        self.logger = logger
        self.jitter = jitter
        let state = State(connectionsMax: configuration.connectionsMax, waitersMax: configuration.waitersMax)
        locked = Mutex(Locked(state: state))
    }

    /// Keeps a connection open until the process shuts down, then lets running work finish and closes all connections.
    /// - Throws: never; a failure to connect is logged and retried.
    public func run() async throws {
        perform { $0.keepOneConnection() }
        // Throws when the task is cancelled; shutDown then interrupts running work instead of waiting.
        try? await gracefulShutdown()
        await shutDown()
    }

    /// Closes the pool to borrowers, waits up to `drainTimeout` for borrowed connections, then interrupts them.
    public func shutDown() async {
        locked.withLock { $0.backOff }?.cancel()
        perform { $0.drain() }
        await withTaskGroup { group in
            group.addTask { await self.drained() }
            group.addTask {
                do { try await Task.sleep(for: self.configuration.drainTimeout) } catch {}
                self.interruptAll()
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func drained() async {
        await withCheckedContinuation { continuation in
            let isDone = locked.withLock { locked in
                if locked.state.isDrained || locked.hasStoppedWaiting { return true }
                locked.shutdownWaiters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Interrupts running work and stops waiting for it.
    private func interruptAll() {
        let (connections, waiters) = locked.withLock { locked in
            locked.hasStoppedWaiting = true
            defer { locked.shutdownWaiters = [] }
            return (locked.state.leasedConnections, locked.shutdownWaiters)
        }
        for connection in connections { connection.monitor.interrupt() }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Health

    /// True while at least one connection is open, and the last attempt to open one did not fail or the server answered
    /// on another in the last five seconds.
    public var isReady: Bool { locked.withLock { $0.state.isReady } }

    /// Makes a round trip to the server, for about two seconds, and asks whether it accepts writes.
    ///
    /// A pool whose every connection is busy counts as healthy: the connections work, and refusing traffic would not
    /// help.
    /// - Throws: ``PostgresError`` with the reason why the database is unusable.
    public func check() async throws {
        // A check of readiness has two seconds; a busy pool is known after one.
        let end = ContinuousClock.now + .milliseconds(1_900)
        do {
            let connection = try await acquire(within: min(.seconds(1), configuration.acquireTimeout))
            defer { release(connection, isReusable: connection.isReusable) }
            try await connection.checkWritable(within: end - .now)
        } catch let error as PostgresError where error.code == .poolExhausted && isReady {}
    }

    // MARK: Running statements

    /// Lends a connection to the closure, for work in one session: several statements, `SET`, temporary tables.
    ///
    /// The connection must not be used after the closure has returned. A connection left inside of a transaction, or
    /// interrupted, is closed instead of lent again.
    /// - Throws: the closure's error, or ``PostgresError`` where no connection is available in time.
    public nonisolated(nonsending) func withConnection<Value: Sendable>(
        _ body: nonisolated(nonsending) (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await acquire(within: configuration.acquireTimeout)
        do {
            let value = try await body(connection)
            release(connection, isReusable: await connection.settle())
            return value
        } catch {
            release(connection, isReusable: await connection.settle())
            throw error
        }
    }

    /// Commits the closure's statements when it returns; rolls them back when it throws or the task is cancelled
    /// before.
    ///
    /// - Parameters:
    ///   - retriesMax: the number of further runs of the closure after a serialization failure, a deadlock or a stale
    ///     plan; the closure must then be repeatable.
    /// - Throws: the closure's error, or ``PostgresError``. If the connection breaks during `COMMIT`, the outcome is
    ///   unknown: ``PostgresError/isOutcomeUnknown`` is true.
    public nonisolated(nonsending) func withTransaction<Value: Sendable>(
        _ isolation: IsolationLevel = .readCommitted, retriesMax: Int = 0,
        _ body: nonisolated(nonsending) (PostgresTransaction) async throws -> Value
    ) async throws -> Value {
        var attempt = 0
        while true {
            do {
                return try await withConnection { connection in
                    try await Self.transaction(on: connection, isolation, body)
                }
            } catch let error as PostgresError
                where attempt < retriesMax && (error.isSerializationFailure || error.isStalePreparedStatement)
            {
                attempt += 1
                try await Task.sleep(for: Self.transactionRetry.delay(failures: attempt, jitter: jitter()))
            }
        }
    }

    private nonisolated(nonsending) static func transaction<Value: Sendable>(
        on connection: PostgresConnection, _ isolation: IsolationLevel,
        _ body: nonisolated(nonsending) (PostgresTransaction) async throws -> Value
    ) async throws -> Value {
        let transaction = PostgresTransaction(connection, isolation: isolation)
        let value: Value
        do {
            value = try await body(transaction)
            if Task.isCancelled, !transaction.isCommitted {
                throw PostgresError(.cancelled, "the task was cancelled before the commit")
            }
        } catch {
            await transaction.rollBack()
            throw error
        }
        try await transaction.commit()
        return value
    }

    /// - Throws: ``PostgresError``, also where no connection becomes free within `acquireTimeout`.
    @discardableResult
    public func batch(_ statements: [SQL]) async throws -> [PostgresResult] {
        try await withConnection { try await $0.batch(statements) }
    }

    // MARK: Acquiring

    private func acquire(within timeout: Duration) async throws -> PostgresConnection {
        while true {
            let connection = try await lease(within: timeout)
            if connection.isQuiet { return connection }
            // The server sent something unsolicited: a notice, or the end of the connection since its last use.
            if await connection.absorbInput() { return connection }
            release(connection, isReusable: false)
        }
    }

    private func lease(within timeout: Duration) async throws -> PostgresConnection {
        if let connection = locked.withLock({ $0.state.acquireIdle() }) { return connection }
        let id = newID()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                // Ends early, without effect, when the connection was there first.
                guard (try? await Task.sleep(for: timeout)) != nil else { return }
                self.perform { $0.waiterTimedOut(id) }
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in
                    perform { $0.acquire(waiter, id: id) }
                    // Cancelled before it waited: the handler found no waiter.
                    if Task.isCancelled { perform { $0.waiterCancelled(id) } }
                }
            } onCancel: {
                perform { $0.waiterCancelled(id) }
            }
        }
    }

    private func release(_ connection: PostgresConnection, isReusable: Bool) {
        let isReadOnly = connection.monitor.isReadOnly
        perform { $0.release(connection, isReusable: isReusable, isReadOnly: isReadOnly) }
    }

    private func newID() -> Int {
        locked.withLock { locked in
            locked.idsGiven += 1
            return locked.idsGiven
        }
    }

    // MARK: Acting

    private func perform(_ event: (inout State) -> [State.Action]) {
        for action in locked.withLock({ event(&$0.state) }) { perform(action) }
    }

    private func perform(_ action: State.Action) {
        switch action {
        case .hand(let connection, let waiter): waiter.resume(returning: connection)
        case .refuse(let waiter, let error): waiter.resume(throwing: error)
        // Closed when its last owner releases it, which is here.
        case .close: break
        case .retired(let reason):
            logger.warning(
                "Reopening every connection to Postgres at \(configuration.address): \(reason.message)")
        case .connect:
            // Awaited by shutDown: the state is not drained before every attempt has reported back.
            Task { await self.connect() }
        case .backOff(let pause): backOff(for: pause)
        case .drained:
            let waiters = locked.withLock { locked in
                defer { locked.shutdownWaiters = [] }
                return locked.shutdownWaiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    private func connect() async {
        do {
            let connection = try await PostgresConnection.open(configuration, id: newID(), logger: logger)
            let failedAttempts = locked.withLock { $0.state.failedAttempts }
            if failedAttempts > 0 {
                logger.info("Postgres at \(configuration.address) is back after \(failedAttempts) failed attempts")
            }
            perform { $0.connected(connection) }
        } catch {
            let failure = error as? PostgresError ?? PostgresError(.connection, "\(error)")
            perform { $0.connectFailed(failure, jitter: jitter()) }
            logFailure(failure)
        }
    }

    /// Logs the first failure, then ever fewer: attempts 2, 4, 8, 16 and each further 32.
    private func logFailure(_ failure: PostgresError) {
        let attempts = locked.withLock { $0.state.failedAttempts }
        guard attempts > 0, attempts.nonzeroBitCount == 1 || attempts.isMultiple(of: 32) else { return }
        let address = configuration.address
        logger.warning("Postgres at \(address) cannot be reached, attempt \(attempts), retrying: \(failure.message)")
    }

    private func backOff(for pause: Duration) {
        // Cancelled by shutDown; no caller awaits this task, since it only sleeps and then asks the state for its next
        // action.
        let task = Task {
            // `shutDown` cancels the sleep; a closed pool needs no next attempt.
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            self.perform { $0.backOffElapsed() }
        }
        locked.withLock { $0.backOff = task }
    }
}
