import PostgresClient

extension PartnersUnderTest {
    /// Runs work at once that goes on only when all of it waits for the lock of a table.
    ///
    /// - Parameters:
    ///   - mode: of the lock, as Postgres names it: the work waits at its first statement that conflicts with that.
    ///   - meanwhile: is done while the work waits.
    func block(
        _ work: [@Sendable () async throws -> Void], at table: String, in mode: String,
        meanwhile: @Sendable () async throws -> Void = {}
    ) async throws {
        let running = try await pool.withTransaction { transaction in
            try await transaction.execute("LOCK TABLE \(raw: table) IN \(raw: mode) MODE")
            // Apart from this task: after a failure here the lock goes first, and then they end.
            let running = work.map { one in Task { try await one() } }
            let waiting: SQL = "SELECT 1 FROM pg_locks WHERE relation = '\(raw: table)'::regclass AND NOT granted"
            while try await transaction.query(waiting).count < work.count { await Task.yield() }
            try await meanwhile()
            return running
        }
        for one in running { try await one.value }
    }
}
