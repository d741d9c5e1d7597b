package import Foundation
package import NatsClient
package import PostgresClient

/// The table of what could not be taken or sent, and what a person may do about it.
package struct DeadLetters: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    // MARK: What operators do

    /// Dead letters in this state, or in any but `failing`, newest first.
    ///
    /// - Parameters:
    ///   - cursor: the `next` of the page before.
    ///   - rowsMax: at most 200.
    package func list(state: DeadLetter.State? = nil, after cursor: UUID? = nil, rowsMax: Int = 50) async throws
        -> DeadLetterPage
    {
        let limit = min(max(rowsMax, 1), 200)
        var sql: SQL = "SELECT * FROM dead_letters WHERE "
        if let state { sql += "state = \(state)" } else { sql += "state <> 'failing'" }
        if let cursor {
            sql += """
                 AND (occurred_at, dead_letter_id) <
                    (SELECT occurred_at, dead_letter_id FROM dead_letters WHERE dead_letter_id = \(cursor))
                """
        }
        sql += " ORDER BY occurred_at DESC, dead_letter_id DESC LIMIT \(limit + 1)"
        let rows = try await pool.query(sql).map(DeadLetter.init)
        let page = Array(rows.prefix(limit))
        return DeadLetterPage(deadLetters: page, next: rows.count > limit ? page.last?.id : nil)
    }

    /// One of them; nil if there is none with the id.
    package func show(_ id: UUID) async throws -> DeadLetter? {
        try await pool.query("SELECT * FROM dead_letters WHERE dead_letter_id = \(id)").first.map(DeadLetter.init)
    }

    /// Sends the message to its subject once more, or sets the timer again, due as it was.
    ///
    /// Wake the relay and the runner afterwards. A timer that was set anew meanwhile stays as it is.
    /// - Parameter messageID: a new id, since the broker would take the old one for a repetition.
    /// - Throws: ``DeadLetterError``.
    package func retry(_ id: UUID, messageID: UUID = UUID()) async throws {
        try await pool.withTransaction { transaction in
            let letter = try await Self.settle(id, as: .retried, reason: nil, in: transaction)
            switch letter.origin {
            case .message, .outbox:
                try await transaction.enqueue(
                    OutboxMessage(
                        id: messageID, subject: letter.subject, payload: letter.payload,
                        headers: letter.headers.filter { !$0.key.lowercased().hasPrefix("nats-") }))
            case .timer:
                try await transaction.execute(
                    """
                    INSERT INTO timers (kind, key, due_at, payload)
                    SELECT subject, message_id, due_at, payload FROM dead_letters WHERE dead_letter_id = \(id)
                    ON CONFLICT (kind, key) DO NOTHING
                    """)
            }
        }
    }

    /// Notes that nothing shall be done about it.
    /// - Throws: ``DeadLetterError``.
    package func drop(_ id: UUID, reason: String) async throws {
        try await pool.withTransaction { transaction in
            _ = try await Self.settle(id, as: .dropped, reason: reason, in: transaction)
        }
    }

    /// How many there are in each state, for metrics and the operators' overview.
    package func counts() async throws -> [DeadLetter.State: Int] {
        let rows = try await pool.query("SELECT state, count(*) AS count FROM dead_letters GROUP BY state")
        var counts = Dictionary(uniqueKeysWithValues: DeadLetter.State.allCases.map { ($0, 0) })
        for row in rows { counts[try row.decode("state")] = try row.decode("count") }
        return counts
    }

    /// Deletes what was decided before that wall time, and what has been failing since before and never came again.
    /// - Returns: how many.
    @discardableResult
    package func deleteSettled(before date: Date) async throws -> Int {
        try await pool.execute(
            """
            DELETE FROM dead_letters
            WHERE settled_at < \(date) OR (state = 'failing' AND occurred_at < \(date))
            """)
    }

    private static func settle(
        _ id: UUID, as state: DeadLetter.State, reason: String?, in transaction: PostgresTransaction
    ) async throws -> DeadLetter {
        let settled = try await transaction.query(
            """
            UPDATE dead_letters SET state = \(state), reason = \(reason?.storable), settled_at = clock_timestamp()
            WHERE dead_letter_id = \(id) AND state = 'open' RETURNING *
            """)
        if let row = settled.first { return try DeadLetter(row) }
        let rows = try await transaction.query("SELECT state FROM dead_letters WHERE dead_letter_id = \(id)")
        guard let row = rows.first else { throw DeadLetterError.notFound }
        throw DeadLetterError.notOpen(try row.decode("state"))
    }

    // MARK: What consumers do

    /// Keeps a message that can never be taken; without effect when it is kept already.
    package func record(_ message: StreamMessage, of consumer: String, error: String) async throws {
        try await note(message, of: consumer, error: error, attemptsMax: 1)
    }

    /// Counts a refusal by the message's handler.
    ///
    /// Counted here and not by deliveries: those rise during an outage too, and a broker made anew forgets them.
    /// - Returns: true when that was the last, and the message is a dead letter now.
    @discardableResult
    func note(_ message: StreamMessage, of consumer: String, error: String, attemptsMax: Int) async throws -> Bool {
        let headers = message.headers.mapValues(\.storable)
        let rows = try await pool.query(
            """
            INSERT INTO dead_letters (origin, consumer, stream, stream_sequence, stored_at, message_id, subject,
                payload, headers, error, attempts, state)
            VALUES ('message', \(consumer), \(message.stream), \(Int64(clamping: message.streamSequence)),
                \(message.timestamp), \(message.headers[Self.messageIDHeader]?.storable), \(message.subject),
                \(message.payload), \(PostgresJSON(headers)), \(error.storable), 1,
                \(attemptsMax <= 1 ? DeadLetter.State.open : .failing))
            ON CONFLICT (consumer, stream, stream_sequence, stored_at) DO UPDATE SET
                attempts = dead_letters.attempts + 1, error = EXCLUDED.error, occurred_at = clock_timestamp(),
                state = CASE WHEN dead_letters.attempts + 1 >= \(attemptsMax) THEN 'open' ELSE 'failing' END
                WHERE dead_letters.state = 'failing'
            RETURNING state
            """)
        // No row: it was dead before, and only the broker had not heard.
        guard let row = rows.first else { return true }
        return try row.decode("state", as: DeadLetter.State.self) == .open
    }

    /// Forgets the refusals of a message that was taken after all.
    func forget(_ message: StreamMessage, of consumer: String) async throws {
        try await pool.execute(
            """
            DELETE FROM dead_letters WHERE state = 'failing' AND consumer = \(consumer) AND stream = \(message.stream)
                AND stream_sequence = \(Int64(clamping: message.streamSequence)) AND stored_at = \(message.timestamp)
            """)
    }

    static let messageIDHeader = "Nats-Msg-Id"
}
