extension PostgresPool {
    /// Runs a statement that changes at most `rowsMax` rows, until it changes fewer.
    ///
    /// Each run is a transaction of its own: however much there is, none holds its locks for long or meets a time-out,
    /// and what is done stays done when a later one fails.
    /// - Returns: the rows that were changed in all.
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
}
