internal import Foundation
internal import PostgresClient

/// A due timer that this runner may fire, unless it is changed before.
struct LeasedTimer: Sendable {
    var timer: DurableTimer
    /// Failures so far that were the handler's own.
    var attempts: Int
    var lease: UUID
}

/// The table `timers`.
///
/// Domain time comes from the caller; leases run by the database's wall clock.
struct TimerStore: Sendable {
    let pool: PostgresPool

    /// Leases due timers that no other runner holds, the longest due first.
    func lease(_ lease: UUID, kinds: [String], dueBy now: Date, timersMax: Int, for duration: Duration) async throws
        -> [LeasedTimer]
    {
        let rows = try await pool.query(
            """
            WITH due AS (
                SELECT kind, key FROM timers
                WHERE due_at <= \(now) AND leased_until <= statement_timestamp() AND kind = ANY(\(kinds))
                ORDER BY due_at LIMIT \(timersMax) FOR NO KEY UPDATE SKIP LOCKED
            )
            UPDATE timers SET lease = \(lease),
                leased_until = statement_timestamp() + make_interval(secs => \(duration.inSeconds))
            FROM due WHERE timers.kind = due.kind AND timers.key = due.key
            RETURNING timers.kind, timers.key, due_at, payload, attempts
            """)
        return try rows.map { row in
            LeasedTimer(
                timer: DurableTimer(
                    kind: try row.decode("kind"), key: try row.decode("key"), dueAt: try row.decode("due_at"),
                    payload: try row.decode("payload")),
                attempts: try row.decode("attempts"), lease: lease)
        }
    }

    /// Deletes the timer if it is still as it was leased, and holds its row until the transaction ends.
    ///
    /// From then on the transaction waits for no lock longer than `lockTimeout`. Use cases lock a timer's
    /// subject and then the timer; we lock in the opposite order, so of the two we must be the one that aborts, and do so
    /// before the database's deadlock detection (after one second) picks one.
    /// - Returns: false if it was rescheduled, cancelled or leased by another.
    func complete(
        _ leased: LeasedTimer, lockTimeout: Duration, in transaction: PostgresTransaction
    ) async throws -> Bool {
        let milliseconds = Int(lockTimeout.inSeconds * 1_000)
        let results = try await transaction.batch([
            "SELECT set_config('lock_timeout', \("\(milliseconds)ms"), true)",
            """
            DELETE FROM timers
            WHERE kind = \(leased.timer.kind) AND key = \(leased.timer.key) AND lease = \(leased.lease)
            """,
        ])
        return results[1].rowsAffected == 1
    }

    /// Releases the lease; the timer can be leased again after the delay.
    ///
    /// - Parameter countsAttempt: whether the handler's own failure is counted.
    func release(_ leased: LeasedTimer, after delay: Duration, error: String, countsAttempt: Bool) async throws {
        try await pool.execute(
            """
            UPDATE timers SET lease = NULL, attempts = attempts + \(countsAttempt ? 1 : 0), last_error = \(error.storable),
                leased_until = statement_timestamp() + make_interval(secs => \(delay.inSeconds))
            WHERE kind = \(leased.timer.kind) AND key = \(leased.timer.key) AND lease = \(leased.lease)
            """)
    }

    /// Makes the timer a dead letter, if it is still as it was leased.
    func deadLetter(_ leased: LeasedTimer, error: String) async throws {
        try await pool.execute(
            """
            WITH dead AS (
                DELETE FROM timers
                WHERE kind = \(leased.timer.kind) AND key = \(leased.timer.key) AND lease = \(leased.lease)
                RETURNING *
            )
            INSERT INTO dead_letters (origin, message_id, subject, due_at, payload, headers, error, attempts)
            SELECT 'timer', key, kind, due_at, payload, '{}', \(error.storable)::text, attempts + 1 FROM dead
            """)
    }

    /// Domain time at which the next unleased timer is due; nil when there is none.
    func nextDue(kinds: [String]) async throws -> Date? {
        let rows = try await pool.query(
            """
            SELECT due_at FROM timers WHERE leased_until <= statement_timestamp() AND kind = ANY(\(kinds))
            ORDER BY due_at LIMIT 1
            """)
        return try rows.first.map { try $0.decode("due_at") }
    }
}
