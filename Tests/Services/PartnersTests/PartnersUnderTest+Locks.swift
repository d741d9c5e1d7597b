import PostgresClient
import Synchronization
import TestSupport

extension PartnersUnderTest {
    /// Runs work at once that goes on only when all of it waits for the lock of a table, or for one that other work holds.
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
            let running = try await begin(work) { try await TestPostgres.awaitedLocks(on: pool) }
            try await meanwhile()
            return running
        }
        for one in running { try await one.value }
    }

    /// Runs work at once that goes on when all of it waits for a row of the same key, which is then not inserted.
    ///
    /// - Parameters:
    ///   - row: inserts the row; the work's own statement has its snapshot by the time that it meets it.
    ///   - meanwhile: is done while the work waits.
    func block(
        _ work: [@Sendable () async throws -> Void], behind row: SQL,
        meanwhile: @Sendable () async throws -> Void
    ) async throws {
        do {
            try await pool.withTransaction { transaction in
                try await transaction.execute(row)
                let running = try await begin(work) {
                    try await transaction.query(
                        "SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid"
                    ).count
                }
                try await meanwhile()
                throw Undone(running: running)
            }
        } catch let undone as Undone {
            for one in undone.running { try await one.value }
        }
    }

    /// Rolls a transaction back.
    private struct Undone: Error {
        let running: [Task<Void, any Error>]
    }

    /// Begins work, and returns once all of it waits.
    ///
    /// - Parameter awaited: how many locks it waits for.
    private func begin(
        _ work: [@Sendable () async throws -> Void], awaited: () async throws -> Int
    ) async throws -> [Task<Void, any Error>] {
        // Apart from this task: after a failure here the lock goes first, and then they end.
        let ended = EndedWork()
        let running = work.map { one in
            Task {
                defer { ended.add() }
                try await one()
            }
        }
        while !ended.hasAny, try await awaited() < work.count { await Task.yield() }
        return running
    }
}

/// Whether any of the work has ended, which then waits for no lock.
private final class EndedWork: Sendable {
    private let count = Atomic(0)

    var hasAny: Bool { count.load(ordering: .acquiring) > 0 }

    func add() { count.add(1, ordering: .releasing) }
}
