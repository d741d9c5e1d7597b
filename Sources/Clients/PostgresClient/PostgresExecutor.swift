/// A runner of statements: the pool, a connection, or a transaction.
///
/// Repositories accept an executor, so that the caller decides the transaction's extent.
public protocol PostgresExecutor: Sendable {
    /// Runs statements in one round trip and returns each one's result.
    ///
    /// Outside of a transaction they form one: on any failure none is applied. A batch must not contain statements that
    /// begin or end a transaction.
    /// - Throws: ``PostgresError`` of the first refused statement, of the connection, of an ended transaction, or where
    ///   no connection of the pool becomes free within `acquireTimeout`. When the task is cancelled the server is asked
    ///   to stop, the connection is closed, and whether a write happened is unknown
    ///   (``PostgresError/isOutcomeUnknown``).
    @discardableResult
    func batch(_ statements: [SQL]) async throws -> [PostgresResult]
}

extension PostgresExecutor {
    /// Runs a statement and returns its rows.
    /// - Throws: ``PostgresError`` as ``batch(_:)`` does.
    @discardableResult
    public func query(_ sql: SQL) async throws -> [PostgresRow] { try await batch([sql])[0].rows }

    /// Runs a statement and returns how many rows it touched.
    /// - Throws: ``PostgresError`` as ``batch(_:)`` does.
    @discardableResult
    public func execute(_ sql: SQL) async throws -> Int { try await batch([sql])[0].rowsAffected }
}
