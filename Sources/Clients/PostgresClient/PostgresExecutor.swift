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

    /// Runs statements in one round trip and returns what each gave.
    ///
    /// Outside of a transaction they are one: on any failure none is applied. Statements that begin or end a
    /// transaction do not belong in a batch.
    @discardableResult
    func batch(_ statements: [SQL]) async throws -> [PostgresResult]
}
