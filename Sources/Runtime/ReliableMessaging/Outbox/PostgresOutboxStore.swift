internal import Foundation
internal import PostgresClient

/// The table `outbox`.
///
/// Any number of relays may share it: with `SKIP LOCKED` each row is leased by one of them.
struct PostgresOutboxStore: OutboxStore {
    let pool: PostgresPool

    func lease(rowsMax: Int, for duration: Duration) async throws -> [UnsentRow] {
        let rows = try await pool.query(
            """
            WITH free AS (
                SELECT outbox_id FROM outbox WHERE leased_until <= statement_timestamp()
                ORDER BY leased_until LIMIT \(rowsMax) FOR NO KEY UPDATE SKIP LOCKED
            )
            UPDATE outbox SET leased_until = statement_timestamp() + make_interval(secs => \(duration.inSeconds))
            FROM free WHERE outbox.outbox_id = free.outbox_id
            RETURNING outbox.outbox_id, subject, payload, headers, attempts,
                extract(epoch FROM statement_timestamp() - created_at)::float8 AS age
            """)
        return try rows.map(UnsentRow.init).sorted { $0.age > $1.age }
    }

    func settle(_ outcomes: [(row: UnsentRow, outcome: PublishOutcome)]) async throws {
        var published: [UUID] = []
        var retries = Retries()
        var dead: [SQL] = []
        for (row, outcome) in outcomes {
            let id = row.message.id
            switch outcome {
            case .published: published.append(id)
            case .postponed(let delay, let error): retries.append(id, error, delay, attempts: 0)
            case .failed(let delay, let error): retries.append(id, error, delay, attempts: 1)
            case .dead(let error): dead.append(Self.deadLettering(id, error))
            }
        }
        // First and alone, so that no failure with the others makes us publish these again.
        if !published.isEmpty { try await pool.execute("DELETE FROM outbox WHERE outbox_id = ANY(\(published))") }
        if !retries.ids.isEmpty { try await pool.execute(retries.update) }
        for statement in dead { try await pool.execute(statement) }
    }

    /// Deletes rows that were published from memory.
    ///
    /// The commit is not waited for on disk: a deletion that is lost makes a row be published again, under the same id.
    func delete(_ published: [UUID]) async throws {
        _ = try await pool.withTransaction { transaction in
            try await transaction.commit(with: [
                "SET LOCAL synchronous_commit TO off", "DELETE FROM outbox WHERE outbox_id = ANY(\(published))",
            ])
        }
    }

    /// Makes rows free that were held for publishing from memory, in the order of their creation.
    func release(_ ids: [UUID]) async throws {
        try await pool.execute("UPDATE outbox SET leased_until = created_at WHERE outbox_id = ANY(\(ids))")
    }

    /// Rows among which the oldest is sought; the table has its oldest rows first, but where space was used again.
    private static let agedRowsMax = 10_000

    /// The age of the oldest row; nil when the table is empty.
    ///
    /// Of a longer table it is the age of the oldest of its first ``agedRowsMax`` rows.
    func oldestAge() async throws -> Duration? {
        let rows = try await pool.query(
            """
            SELECT extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS age
            FROM (SELECT created_at FROM outbox LIMIT \(Self.agedRowsMax)) AS aged
            """)
        return try rows[0].decode("age", as: Double?.self).map { .seconds($0) }
    }

    private struct Retries {
        var ids: [UUID] = []
        var errors: [String] = []
        var delays: [Double] = []
        var attempts: [Int] = []

        mutating func append(_ id: UUID, _ error: String, _ delay: Duration, attempts: Int) {
            ids.append(id)
            errors.append(error)
            delays.append(delay.inSeconds)
            self.attempts.append(attempts)
        }

        var update: SQL {
            """
            UPDATE outbox SET last_error = retries.error, attempts = outbox.attempts + retries.attempts,
                leased_until = statement_timestamp() + make_interval(secs => retries.delay)
            FROM unnest(\(ids), \(errors)::text[], \(delays), \(attempts)) AS retries (id, error, delay, attempts)
            WHERE outbox_id = retries.id
            """
        }
    }

    private static func deadLettering(_ id: UUID, _ error: String) -> SQL {
        """
        WITH dead AS (DELETE FROM outbox WHERE outbox_id = \(id) RETURNING *)
        INSERT INTO dead_letters (origin, message_id, subject, payload, headers, error, attempts)
        SELECT 'outbox', outbox_id::text, subject, payload, headers, \(error)::text, attempts + 1 FROM dead
        """
    }
}

extension UnsentRow {
    fileprivate init(_ row: PostgresRow) throws {
        message = OutboxMessage(
            id: try row.decode("outbox_id"), subject: try row.decode("subject"), payload: try row.decode("payload"),
            headers: try row.decodeJSON("headers"))
        attempts = try row.decode("attempts")
        age = .seconds(try row.decode("age", as: Double.self))
    }
}
