/// A runner of statements: the pool, a connection, or a transaction.
///
/// Repositories accept an executor, so that the caller decides the transaction's extent.
public protocol PostgresExecutor: Sendable {
    /// Runs a statement and returns its rows.
    @discardableResult
    func query(_ sql: SQL) async throws -> [PostgresRow]

    /// Runs a statement and returns how many rows it touched.
    @discardableResult
    func execute(_ sql: SQL) async throws -> Int

    /// Runs statements in one round trip and returns each one's result.
    ///
    /// Outside of a transaction they form one: on any failure none is applied. A batch must not contain statements that
    /// begin or end a transaction.
    @discardableResult
    func batch(_ statements: [SQL]) async throws -> [PostgresResult]
}
