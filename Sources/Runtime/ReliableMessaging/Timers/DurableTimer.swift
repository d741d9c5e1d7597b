package import Foundation
package import PostgresClient

/// Work that is due at a domain time, even if every process restarts meanwhile.
package struct DurableTimer: Hashable, Sendable {
    private struct ID: Hashable {
        let kind: String
        let key: String
    }

    /// Names the handler.
    package var kind: String
    /// The object of the work; there is one timer per kind and key.
    package var key: String
    /// Domain time.
    package var dueAt: Date
    package var payload: [UInt8]

    private var id: ID { ID(kind: kind, key: key) }

    package init(kind: String, key: String, dueAt: Date, payload: [UInt8] = []) {
        self.kind = kind
        self.key = key
        self.dueAt = dueAt
        self.payload = payload
    }
}

extension PostgresExecutor {
    /// Schedules the timer in the caller's transaction, in place of any other of its kind and key.
    ///
    /// The one it replaces never fires again, even if a handler was about to begin. Wake the runner after the commit.
    /// - Throws: ``PostgresError``.
    package func schedule(_ timer: DurableTimer) async throws {
        try await schedule([timer])
    }

    /// Schedules several timers in one round trip, all or none.
    /// - Throws: ``PostgresError``.
    package func schedule(_ timers: [DurableTimer]) async throws {
        guard !timers.isEmpty else { return }
        try await batch(DurableTimer.scheduling(timers))
    }

    /// Cancels the timer in the caller's transaction: after the commit it never fires.
    ///
    /// - Returns: false if there was none.
    /// - Throws: ``PostgresError``.
    @discardableResult
    package func cancelTimer(kind: String, key: String) async throws -> Bool {
        try await execute(DurableTimer.cancelling(kind: kind, key: key)) > 0
    }
}

extension DurableTimer {
    /// The statement that cancels a timer, for a caller that sends it in a batch of its own.
    package static func cancelling(kind: String, key: String) -> SQL {
        "DELETE FROM timers WHERE kind = \(kind) AND key = \(key)"
    }

    /// The statement that schedules timers, for a caller that sends it in a batch of its own; none without a timer.
    ///
    /// Of several with one kind and key the last is scheduled.
    package static func scheduling(_ timers: [DurableTimer]) -> [SQL] {
        guard !timers.isEmpty else { return [] }
        // In one order, so that two transactions that set the same timers never deadlock.
        let timers = Dictionary(timers.map { ($0.id, $0) }) { $1 }.values.sorted {
            ($0.kind, $0.key) < ($1.kind, $1.key)
        }
        return [
            """
            INSERT INTO timers (kind, key, due_at, payload)
            SELECT kind, key, due_at, payload
            FROM unnest(\(timers.map(\.kind))::text[], \(timers.map(\.key))::text[],
                \(PostgresNullableArray(timers.map(\.dueAt)))::timestamptz[], \(PostgresBytesArray(timers.map(\.payload))))
                AS new (kind, key, due_at, payload)
            ON CONFLICT (kind, key) DO UPDATE SET due_at = EXCLUDED.due_at, payload = EXCLUDED.payload,
                lease = NULL, leased_until = '-infinity', attempts = 0, last_error = NULL
            """
        ]
    }
}
