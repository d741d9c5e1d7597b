extension PostgresPool {
    /// Runs a statement that changes at most `rowsMax` rows, until it changes fewer.
    ///
    /// Each run is a transaction of its own: none holds its locks for long or meets a time-out, however many rows there
    /// are, and finished runs stay committed when a later one fails.
    /// - Returns: the total of changed rows.
    /// - Throws: ``PostgresError``; `CancellationError` between two runs.
    @discardableResult
    public func execute(inBatchesOf rowsMax: Int, _ statement: SQL) async throws -> Int {
        var total = 0
        while true {
            let changed = try await execute(statement)
            total += changed
            if changed < rowsMax { return total }
            try Task.checkCancellation()
        }
    }

    /// Deletes the rows of a table that match a condition, at most `rowsMax` in a transaction.
    ///
    /// - Returns: the total of deleted rows.
    /// - Throws: ``PostgresError``; `CancellationError` between two transactions.
    @discardableResult
    public func delete(from table: SQL, where condition: SQL, inBatchesOf rowsMax: Int) async throws -> Int {
        try await execute(
            inBatchesOf: rowsMax,
            """
            DELETE FROM \(sql: table) WHERE ctid = ANY(ARRAY(SELECT ctid FROM \(sql: table)
                WHERE \(sql: condition) LIMIT \(rowsMax)))
            """)
    }
}
