package import Foundation
package import NatsClient
package import PostgresClient

/// The table of messages and timers that could not be handled or published, and the operators' actions on them.
package struct DeadLetters: Sendable {
    private let pool: PostgresPool
    private let messageDaysMax: Int?

    /// - Parameter messageDaysMax: wall days after which a received message is not retried: those for which the service
    ///   keeps an ended delivery, against which older messages lose. Nil without a limit.
    package init(pool: PostgresPool, messageDaysMax: Int? = nil) {
        self.pool = pool
        self.messageDaysMax = messageDaysMax
    }

    // MARK: For operators

    /// Dead letters in this state, or in any but `failing`, newest first.
    ///
    /// - Parameters:
    ///   - cursor: the `next` of the page before.
    ///   - rowsMax: at most 200.
    /// - Throws: ``PostgresError``.
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

    /// A dead letter; nil for an unknown id.
    /// - Throws: ``PostgresError``.
    package func show(_ id: UUID) async throws -> DeadLetter? {
        try await pool.query("SELECT * FROM dead_letters WHERE dead_letter_id = \(id)").first.map(DeadLetter.init)
    }

    /// Retries a dead letter: a received message by its consumer, an outbox message by the relay, a timer by scheduling
    /// it again with its former due time.
    ///
    /// Wake the relay and the runner afterwards. A timer that was rescheduled meanwhile stays as it is.
    /// - Parameter messageID: of an outbox message; a new id, since the broker would deduplicate the old one.
    /// - Throws: ``DeadLetterError``.
    package func retry(_ id: UUID, messageID: UUID = UUID()) async throws {
        try await pool.withTransaction { transaction in
            let letter = try await Self.lockOpen(id, in: transaction)
            switch letter.origin {
            case .message:
                let retried = try await transaction.execute(
                    """
                    UPDATE dead_letters SET state = 'retrying', leased_until = NULL
                    WHERE dead_letter_id = \(id) AND coalesce(
                        stored_at >= clock_timestamp() - make_interval(days => \(messageDaysMax)::integer), true)
                    """)
                if retried == 0 { throw DeadLetterError.tooOld }
                return
            case .outbox:
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
            try await Self.settle(id, as: .retried, reason: nil, in: transaction)
        }
    }

    /// Settles it without a retry.
    /// - Throws: ``DeadLetterError``.
    package func drop(_ id: UUID, reason: String) async throws {
        try await pool.withTransaction { transaction in
            _ = try await Self.lockOpen(id, in: transaction)
            try await Self.settle(id, as: .dropped, reason: reason, in: transaction)
        }
    }

    /// The number of dead letters in each state, for metrics and the operators' overview.
    /// - Throws: ``PostgresError``.
    package func counts() async throws -> [DeadLetter.State: Int] {
        let rows = try await pool.query("SELECT state, count(*) AS count FROM dead_letters GROUP BY state")
        var counts = Dictionary(uniqueKeysWithValues: DeadLetter.State.allCases.map { ($0, 0) })
        for row in rows { counts[try row.decode("state")] = try row.decode("count") }
        return counts
    }

    /// Deletes dead letters settled before that wall time, and failures before it without a redelivery.
    ///
    /// - Parameter rowsMax: rows of one transaction.
    /// - Returns: the number of deleted rows.
    /// - Throws: ``PostgresError``.
    @discardableResult
    package func deleteSettled(before date: Date, rowsMax: Int = 5_000) async throws -> Int {
        try await pool.execute(
            inBatchesOf: rowsMax,
            """
            DELETE FROM dead_letters WHERE dead_letter_id IN (
                SELECT dead_letter_id FROM dead_letters
                WHERE settled_at < \(date) OR (state = 'failing' AND occurred_at < \(date)) LIMIT \(rowsMax))
            """)
    }

    /// The dead letter, locked until the transaction ends.
    /// - Throws: ``DeadLetterError``.
    private static func lockOpen(_ id: UUID, in transaction: PostgresTransaction) async throws -> DeadLetter {
        let rows = try await transaction.query(
            "SELECT * FROM dead_letters WHERE dead_letter_id = \(id) FOR NO KEY UPDATE")
        guard let letter = try rows.first.map(DeadLetter.init) else { throw DeadLetterError.notFound }
        guard letter.state == .open else { throw DeadLetterError.notOpen(letter.state) }
        return letter
    }

    private static func settle(
        _ id: UUID, as state: DeadLetter.State, reason: String?, in transaction: PostgresTransaction
    ) async throws {
        try await transaction.execute(
            """
            UPDATE dead_letters SET state = \(state), reason = \(reason?.storable), settled_at = clock_timestamp()
            WHERE dead_letter_id = \(id)
            """)
    }

    // MARK: For consumers

    /// Writes a message that can never be handled; without effect when it is written already.
    /// - Throws: ``PostgresError``.
    package func record(_ message: StreamMessage, of consumer: String, error: String) async throws {
        try await countFailure(message, of: consumer, error: error, attemptsMax: 1)
    }

    /// Counts a failure of the message's handler.
    ///
    /// Counts failures, not deliveries: deliveries rise during an outage too, and a rebuilt broker starts at zero.
    /// - Returns: true when the limit is reached, and the message is a dead letter now.
    @discardableResult
    func countFailure(_ message: StreamMessage, of consumer: String, error: String, attemptsMax: Int) async throws
        -> Bool
    {
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
        // No row: it was a dead letter before, and only the broker's acknowledgement was lost.
        guard let row = rows.first else { return true }
        return try row.decode("state", as: DeadLetter.State.self) == .open
    }

    /// Deletes the failure count of a message that was handled in the end.
    func clearFailures(_ message: StreamMessage, of consumer: String) async throws {
        try await pool.execute(
            """
            DELETE FROM dead_letters WHERE state = 'failing' AND consumer = \(consumer) AND stream = \(message.stream)
                AND stream_sequence = \(Int64(clamping: message.streamSequence)) AND stored_at = \(message.timestamp)
            """)
    }

    /// Leases the consumer's dead letter in state `retrying` that has waited longest and is not leased.
    func leaseForRetry(of consumer: String, for duration: Duration) async throws -> DeadLetter? {
        try await pool.query(
            """
            UPDATE dead_letters SET leased_until = clock_timestamp() + make_interval(secs => \(duration.inSeconds))
            WHERE dead_letter_id = (
                SELECT dead_letter_id FROM dead_letters
                WHERE state = 'retrying' AND consumer = \(consumer)
                    AND (leased_until IS NULL OR leased_until < clock_timestamp())
                ORDER BY occurred_at, dead_letter_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
            RETURNING *
            """
        ).first.map(DeadLetter.init)
    }

    /// Settles it as retried.
    func retried(_ id: UUID) async throws {
        try await pool.execute(
            """
            UPDATE dead_letters SET state = 'retried', settled_at = clock_timestamp()
            WHERE dead_letter_id = \(id) AND state = 'retrying'
            """)
    }

    /// Reopens it after another failure.
    func reopen(_ id: UUID, error: String) async throws {
        try await pool.execute(
            """
            UPDATE dead_letters SET state = 'open', attempts = attempts + 1, error = \(error.storable),
                occurred_at = clock_timestamp()
            WHERE dead_letter_id = \(id) AND state = 'retrying'
            """)
    }

    static let messageIDHeader = "Nats-Msg-Id"
}
