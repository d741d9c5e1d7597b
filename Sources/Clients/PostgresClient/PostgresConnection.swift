import CPostgres
import Glibc
import Logging

/// One session with the server, lent by ``PostgresPool/withConnection(_:)``.
///
/// Statements of one connection run one after the other, in the order of the calls. Do not keep the connection: after
/// the closure has returned, it belongs to another borrower.
public actor PostgresConnection: PostgresExecutor, Identifiable {
    /// Differs from the id of every other connection of its pool.
    public nonisolated let id: Int
    nonisolated let monitor: StatementMonitor
    private nonisolated let executor: BlockingExecutor
    private nonisolated let descriptor: Int32
    private let handle: ConnectionHandle
    private var statements: PreparedStatements
    private let answerTimeout: Duration?
    private let sessionKind: PostgresConfiguration.SessionKind

    /// The time for an interrupted statement to end before its connection is dropped.
    private static let interruptGrace = Duration.seconds(3)

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects on the connection's own thread.
    static func open(_ configuration: PostgresConfiguration, id: Int, logger: Logger) async throws -> PostgresConnection
    {
        let executor = BlockingExecutor(label: "postgres-\(id)")
        return try await Opener(executor: executor).open(configuration, id: id, logger: logger)
    }

    /// Lends its executor's thread to the blocking call that makes a connection.
    private actor Opener {
        private nonisolated let executor: BlockingExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(executor: BlockingExecutor) { self.executor = executor }

        func open(_ configuration: PostgresConfiguration, id: Int, logger: Logger) throws -> PostgresConnection {
            let handle = try ConnectionHandle(configuration, logger: logger)
            try handle.checkSettings(within: configuration.connectTimeout)
            return PostgresConnection(handle, configuration: configuration, id: id, executor: executor)
        }
    }

    private init(
        _ handle: consuming ConnectionHandle, configuration: PostgresConfiguration, id: Int, executor: BlockingExecutor
    ) {
        self.id = id
        self.executor = executor
        monitor = StatementMonitor(CancelHandle(handle.pointer))
        descriptor = PQsocket(handle.pointer)
        sessionKind = configuration.sessionKind
        statements = PreparedStatements(statementsMax: configuration.preparedStatementsMax)
        // The server keeps statementTimeout; this is for when its word does not arrive.
        answerTimeout = configuration.statementTimeout.map { $0 + .seconds(5) }
        self.handle = handle
    }

    /// Runs statements in one round trip; either all take effect or none does.
    /// - Throws: ``PostgresError`` of the first refused statement, or of the connection.
    @discardableResult
    public func batch(_ statements: [SQL]) async throws -> [PostgresResult] {
        try await perform(statements.map(\.statement))
    }

    /// Runs a whole file of statements, unprepared and with nothing bound, in one implicit transaction.
    /// - Throws: ``PostgresError``.
    public func executeScript(_ text: String) async throws {
        try await interruptibly { () throws(PostgresError) in try runScript(text) }
    }

    // MARK: For the pool and transactions

    /// True when the server has sent nothing unsolicited, in particular no end of the connection.
    nonisolated var isQuiet: Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, 0) == 0
    }

    /// Reads unsolicited input of the server; false when it ended the connection.
    func absorbInput() -> Bool {
        let isAlive = handle.absorbInput()
        if !isAlive { monitor.discard() }
        return isAlive
    }

    var isInTransaction: Bool { handle.transactionStatus == PQTRANS_INTRANS }

    /// Runs statements even if the task is cancelled: for work that must not be interrupted, such as `COMMIT`.
    func performShielded(_ statements: [Statement], within timeout: Duration? = nil) throws(PostgresError)
        -> [PostgresResult]
    {
        try run { () throws(PostgresError) in try pipeline(statements, isOver: giveUp(after: timeout ?? answerTimeout))
        }
    }

    /// Asks the server whether it accepts writes, where the configuration demands that.
    ///
    /// - Throws: ``PostgresError`` of SQLSTATE 25006 where the server is read-only.
    func checkWritable(within timeout: Duration) throws(PostgresError) {
        let answer = try performShielded([Statement("SHOW transaction_read_only")], within: timeout)
        guard sessionKind != .any, answer.first?.rows.first?.cells.first == "on" else { return }
        monitor.noteReadOnly()
        throw PostgresError(.statement(sqlState: "25006"), "the server takes no writes")
    }

    func perform(_ statements: [Statement]) async throws -> [PostgresResult] {
        try await interruptibly { () throws(PostgresError) in
            try pipeline(statements, isOver: giveUp(after: answerTimeout))
        }
    }

    /// Runs a transaction's statements, behind its `BEGIN` in the same round trip if they are its first.
    func perform(_ statements: [Statement], in transaction: PostgresTransaction) async throws -> [PostgresResult] {
        guard !transaction.hasBegun else { return try await perform(statements) }
        defer { transaction.hasBegun = handle.transactionStatus != PQTRANS_IDLE }
        do {
            return Array(try await perform([transaction.begin] + statements).dropFirst())
        } catch let error as PostgresError where error.isStalePreparedStatement {
            // Nothing came before, so nothing is lost by beginning again.
            _ = try performShielded([Statement("ROLLBACK")])
            return Array(try await perform([transaction.begin] + statements).dropFirst())
        }
    }

    private func interruptibly<Value>(_ body: () throws(PostgresError) -> Value) async throws -> Value {
        guard !Task.isCancelled else { throw PostgresError(.cancelled, "the task was cancelled; nothing was sent") }
        return try await withTaskCancellationHandler {
            try run(body)
        } onCancel: {
            monitor.interrupt()
        }
    }

    private func run<Value>(_ body: () throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        guard monitor.begin() else { throw PostgresError(.closed, "the connection was closed") }
        defer {
            monitor.end()
            if !handle.isAlive { monitor.discard() }
        }
        do {
            return try body()
        } catch {
            if error.isReadOnlyServer { monitor.noteReadOnly() }
            guard monitor.interruptedAt != nil, error.sqlState == "57014" || error.isConnectionLoss else { throw error }
            var cancelled = PostgresError(.cancelled, "the statement was interrupted", query: error.query)
            cancelled.isOutcomeUnknown = true
            throw cancelled
        }
    }

    /// Whether the session can be lent to the next borrower.
    nonisolated var isReusable: Bool { monitor.isReusable }

    /// Marks the connection as not to be used again when it would carry a transaction over to its next borrower.
    func settle() -> Bool {
        if !handle.isAlive || handle.transactionStatus != PQTRANS_IDLE { monitor.discard() }
        return monitor.isReusable
    }

    private func giveUp(after timeout: Duration?) -> () -> PostgresError? {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        return { [monitor] in
            if let deadline, ContinuousClock.now > deadline {
                return PostgresError(.connection, "the server did not answer in time")
            }
            if let instant = monitor.interruptedAt, ContinuousClock.now > instant + Self.interruptGrace {
                return PostgresError(.connection, "the server did not react to being interrupted")
            }
            return nil
        }
    }
}

// MARK: Talking to libpq

extension PostgresConnection {
    /// Runs statements in pipeline mode, and a second time if only the record of prepared statements was wrong.
    private func pipeline(
        _ batch: [Statement], isOver: () -> PostgresError?
    ) throws(PostgresError) -> [PostgresResult] {
        for case .failure(let error) in batch.lazy.flatMap(\.parameters).map(\.payload) { throw error }
        do {
            return try pipelineOnce(batch, isOver: isOver)
        } catch {
            // Outside of a transaction block the whole batch was rolled back, so repeating it is safe.
            guard error.isStalePreparedStatement else { throw error }
            statements.reset()
            guard handle.transactionStatus == PQTRANS_IDLE else { throw error }
            return try pipelineOnce(batch, isOver: isOver)
        }
    }

    private func pipelineOnce(
        _ batch: [Statement], isOver: () -> PostgresError?
    ) throws(PostgresError) -> [PostgresResult] {
        var pipeline = Pipeline(handle.pointer)
        do {
            try pipeline.begin()
            // Within a transaction its failure would be the transaction's.
            if handle.transactionStatus == PQTRANS_IDLE { try deallocate(in: &pipeline) }
            try pipeline.send(batch, preparing: &statements)
            return try pipeline.receive(confirming: &statements) { () throws(PostgresError) in
                try handle.waitForResult(isOver: isOver)
            }
        } catch {
            // Only a refused statement leaves the two sides in step.
            if error.code == .connection { monitor.discard() }
            throw error
        }
    }

    private func deallocate(in pipeline: inout Pipeline) throws(PostgresError) {
        if statements.discardsAll {
            try pipeline.sendAside("DEALLOCATE ALL")
        }
        for name in statements.discarded { try pipeline.sendAside("DEALLOCATE \(name)") }
        statements.discardsSent()
    }

    private func runScript(_ text: String) throws(PostgresError) {
        guard !text.utf8.contains(0) else { throw PostgresError(.encoding, "a script with a NUL character") }
        let isOver = giveUp(after: nil)
        guard PQsendQuery(handle.pointer, text) == 1 else {
            monitor.discard()
            throw PostgresError(.connection, handle.errorMessage)
        }
        var failure: PostgresError?
        do {
            while true {
                try handle.waitForResult(isOver: isOver)
                guard let result = ResultHandle(PQgetResult(handle.pointer)) else { break }
                if result.status == PGRES_FATAL_ERROR { failure = failure ?? result.error(query: nil) }
            }
        } catch {
            monitor.discard()
            throw failure ?? error
        }
        if let failure { throw failure }
    }
}
