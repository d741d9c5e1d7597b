import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of listeners: their streams, their queues, and their end.
enum ListenerRepository {
    // MARK: Streams

    /// Renews a listener's row for a time; false where it is removed, or where another stream reads its queue.
    static func noteOpen(
        _ stream: ListenerStream, seconds: Double, on database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            UPDATE endpoints SET open_until = clock_timestamp() + make_interval(secs => \(seconds))
            WHERE endpoint_id = \(stream.listener.rawValue) AND stream_id = \(stream.id) AND removed_at IS NULL
            """) > 0
    }

    /// Records that a stream is closed, unless another one has continued its listener.
    static func noteClosed(_ stream: ListenerStream, on database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            UPDATE endpoints SET open_until = clock_timestamp()
            WHERE endpoint_id = \(stream.listener.rawValue) AND stream_id = \(stream.id)
                AND open_until > clock_timestamp()
            """)
    }

    /// Gives a listener to another stream, and makes those events wait again that the former streams' program has not
    /// received.
    ///
    /// - Parameters:
    ///   - last: the last event that the program received; nil for none.
    ///   - seconds: for which the row is valid.
    /// - Returns: false where there is no such listener, or where its queue has no longer what the program lacks: the
    ///   transaction is to be rolled back then.
    static func resume(
        _ stream: ListenerStream, after last: EventID?, types: [WebhookEventType], of store: StoreID?,
        seconds: Double, in transaction: PostgresTransaction
    ) async throws -> Bool {
        let listener = stream.listener.rawValue
        let found = try await transaction.execute(
            """
            UPDATE endpoints SET stream_id = \(stream.id),
                open_until = clock_timestamp() + make_interval(secs => \(seconds))
            WHERE endpoint_id = \(listener) AND kind = 'listener' AND removed_at IS NULL
                AND store_id IS NOT DISTINCT FROM \(store?.rawValue)
                AND types = \(types.map(\.rawValue))::text[]
            """)
        guard found > 0 else { return false }
        // The row's lock is held: no stream dequeues meanwhile. A pruned queue has `deliveredMax` rows at least.
        let delivered: SQL = "event_deliveries WHERE endpoint_id = \(listener) AND state = 'delivered'"
        let isWhole: Bool = try await transaction.query(
            """
            SELECT CASE WHEN \(last?.rawValue)::text IS NULL
                THEN (SELECT count(*) FROM \(sql: delivered)) < \(KeptListeners.deliveredMax)
                ELSE EXISTS (SELECT FROM \(sql: delivered) AND event_id = \(last?.rawValue)) END AS is_whole
            """)[0].decode("is_whole")
        guard isWhole else { return false }
        try await transaction.execute(
            """
            UPDATE event_deliveries SET state = 'waiting'
            WHERE endpoint_id = \(listener) AND state = 'delivered'
                AND (\(last?.rawValue)::text IS NULL OR (leased_until, event_delivery_id) > (
                    SELECT leased_until, event_delivery_id FROM \(sql: delivered) AND event_id = \(last?.rawValue)))
            """)
        return true
    }

    // MARK: Queues

    /// Dequeues the waiting events of a stream's listener and returns them, oldest first; the newest ones stay as
    /// delivered for a stream that continues it.
    ///
    /// The time of the lease is that of the dequeue, so that delivered events have the order in which they were sent.
    /// - Returns: none where another stream reads the queue.
    static func dequeue(
        for stream: ListenerStream, rowsMax: Int, on database: some PostgresExecutor
    ) async throws -> [(event: EventID, body: Data)] {
        let listener = stream.listener.rawValue
        return try await database.query(
            """
            WITH reader AS MATERIALIZED (
                SELECT FROM endpoints
                WHERE endpoint_id = \(listener) AND stream_id = \(stream.id) AND removed_at IS NULL FOR SHARE
            ), dequeued AS (
                UPDATE event_deliveries SET state = 'delivered', leased_until = statement_timestamp()
                WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_deliveries
                        WHERE endpoint_id = \(listener) AND state = 'waiting' AND EXISTS (SELECT FROM reader)
                        ORDER BY event_delivery_id LIMIT \(rowsMax)))
                    AND endpoint_id = \(listener) AND state = 'waiting'
                RETURNING event_delivery_id, event_id
            ), pruned AS (
                DELETE FROM event_deliveries
                WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_deliveries
                        WHERE endpoint_id = \(listener) AND state = 'delivered'
                            AND event_delivery_id < (SELECT max(event_delivery_id) FROM dequeued)
                        ORDER BY leased_until DESC, event_delivery_id DESC OFFSET \(KeptListeners.deliveredMax)))
                    AND endpoint_id = \(listener) AND state = 'delivered'
            )
            SELECT dequeued.event_id, body FROM dequeued JOIN events ON events.event_id = dequeued.event_id
            ORDER BY event_delivery_id
            """
        ).compactMap { row in
            guard let event = EventID(rawValue: try row.decode("event_id")) else { return nil }
            return (event, Data(try row.decode("body", as: [UInt8].self)))
        }
    }

    // MARK: The end

    /// Marks closed listeners as removed that are kept no longer: past their time, beyond the number of their store, or
    /// with too many waiting events.
    ///
    /// - Returns: the number of marked listeners, `rowsMax` at most.
    static func removeClosed(
        at now: Date, rowsMax: Int, on database: some PostgresExecutor
    ) async throws -> Int {
        try await database.execute(
            """
            UPDATE endpoints SET removed_at = \(now)
            WHERE endpoint_id = ANY(ARRAY(
                    SELECT endpoint_id FROM (
                        SELECT endpoint_id, open_until,
                            row_number() OVER (PARTITION BY store_id ORDER BY open_until DESC, endpoint_id) AS place
                        FROM endpoints
                        WHERE kind = 'listener' AND removed_at IS NULL AND open_until <= clock_timestamp()) AS closed
                    WHERE place > \(KeptListeners.perStoreMax)
                        OR open_until < clock_timestamp() - make_interval(secs => \(KeptListeners.seconds))
                        OR EXISTS (SELECT FROM event_deliveries
                            WHERE event_deliveries.endpoint_id = closed.endpoint_id AND state = 'waiting'
                            OFFSET \(KeptListeners.waitingMax))
                    LIMIT \(rowsMax)))
                AND kind = 'listener' AND removed_at IS NULL AND open_until <= clock_timestamp()
            """)
    }

    /// Deletes the queues of removed listeners in batches, and then the listeners.
    static func deleteRemoved(rowsMax: Int, on pool: PostgresPool) async throws {
        let removed = try await pool.query(
            """
            SELECT endpoint_id FROM endpoints WHERE kind = 'listener' AND removed_at IS NOT NULL LIMIT \(rowsMax)
            """)
        for row in removed {
            let listener: String = try row.decode("endpoint_id")
            _ = try await pool.execute(
                inBatchesOf: rowsMax,
                """
                DELETE FROM event_deliveries
                WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_deliveries
                        WHERE endpoint_id = \(listener) LIMIT \(rowsMax)))
                    AND endpoint_id = \(listener)
                """)
            try await pool.execute(
                """
                DELETE FROM endpoints
                WHERE endpoint_id = \(listener) AND kind = 'listener' AND removed_at IS NOT NULL
                """)
        }
    }
}
