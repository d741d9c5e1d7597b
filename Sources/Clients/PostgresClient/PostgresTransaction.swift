import Synchronization

/// The isolation from concurrent transactions (manual, 13.2).
public enum IsolationLevel: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
}

/// An open transaction, lent by ``PostgresPool/withTransaction(_:retriesMax:_:)``.
///
/// `BEGIN` is sent with the first statement, so it costs no round trip, and the first statement creates the snapshot.
/// After any refused statement the transaction can only be rolled back.
public final class PostgresTransaction: PostgresExecutor {
    private struct State {
        var hasBegun = false
        var isOver = false
        var isCommitted = false
    }

    private let connection: PostgresConnection
    private let state = Mutex(State())
    let begin: Statement

    init(_ connection: PostgresConnection, isolation: IsolationLevel) {
        self.connection = connection
        begin = Statement("BEGIN ISOLATION LEVEL \(isolation.rawValue)")
    }

    /// Changed on the connection's executor only, so that exactly one statement carries `BEGIN`.
    var hasBegun: Bool {
        get { state.withLock { $0.hasBegun } }
        set { state.withLock { $0.hasBegun = newValue } }
    }

    var isCommitted: Bool { state.withLock(\.isCommitted) }

    /// - Throws: ``PostgresError`` of the first refused statement, of the connection, or of an ended transaction.
    @discardableResult
    public func batch(_ statements: [SQL]) async throws -> [PostgresResult] {
        try checkIsOpen()
        do {
            return try await connection.perform(statements.map(\.statement), in: self)
        } catch var error as PostgresError {
            // A transaction does not outlive its connection, so its outcome is known: rolled back.
            error.isOutcomeUnknown = false
            throw error
        }
    }

    /// Runs a whole file of statements within the transaction, unprepared and with nothing bound.
    /// - Throws: ``PostgresError``; SQLSTATE 2D000 where the script ended the transaction.
    public func executeScript(_ text: String) async throws {
        if !hasBegun { try await batch(["SELECT"]) }
        try await connection.executeScript(text)
        guard await connection.isInTransaction else {
            throw PostgresError(.statement(sqlState: "2D000"), "the script ended the transaction it ran in")
        }
    }

    private func checkIsOpen() throws(PostgresError) {
        if state.withLock({ $0.isOver }) { throw PostgresError(.closed, "the transaction is over") }
    }

    /// Runs the transaction's last statements and commits in the same round trip.
    ///
    /// The transaction is over afterwards. When the server refuses a statement, it commits nothing. Cancellation of the
    /// task before the call sends nothing; cancellation during the call changes nothing.
    /// - Throws: ``PostgresError``; if the connection breaks, the outcome is unknown:
    ///   ``PostgresError/isOutcomeUnknown`` is true.
    @discardableResult
    public func commit(with statements: [SQL]) async throws -> [PostgresResult] {
        try checkIsOpen()
        guard !Task.isCancelled else {
            throw PostgresError(.cancelled, "the task was cancelled before the commit")
        }
        return try await commit(statements.map(\.statement))
    }

    /// Makes everything permanent, even if the task is cancelled meanwhile.
    func commit() async throws(PostgresError) {
        guard !isCommitted else { return }
        try await commit([])
    }

    @discardableResult
    private func commit(_ last: [Statement]) async throws(PostgresError) -> [PostgresResult] {
        state.withLock { $0.isOver = true }
        guard hasBegun || !last.isEmpty else { return [] }
        let head = hasBegun ? [] : [begin]
        let results: [PostgresResult]
        do throws(PostgresError) {
            hasBegun = true
            results = try await connection.performShielded(head + last + [Statement("COMMIT")])
        } catch {
            var failure = error
            failure.isOutcomeUnknown = failure.isOutcomeUnknown || failure.code == .connection
            throw failure
        }
        // The server answers COMMIT of a failed transaction with success and the tag ROLLBACK.
        guard results.last?.commandTag == "COMMIT" else {
            throw PostgresError(
                .statement(sqlState: "25P02"),
                "the transaction was rolled back: one of its statements was refused and the refusal was not thrown")
        }
        state.withLock { $0.isCommitted = true }
        return Array(results.dropFirst(head.count).dropLast())
    }

    /// Undoes everything; a connection that cannot even do that is not used again, and the server undoes it then.
    func rollBack() async {
        let isCommitted = state.withLock { state in
            state.isOver = true
            return state.isCommitted
        }
        guard hasBegun, !isCommitted else { return }
        // A connection that cannot roll back is discarded; the caller throws the error that ended the transaction.
        if (try? await connection.performShielded([Statement("ROLLBACK")])) == nil { connection.monitor.discard() }
    }
}
