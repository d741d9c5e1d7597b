import DoorstepAPI
import Foundation
import PostgresClient

/// The SQL of listeners' queues.
extension EventRepository {
    /// Dequeues a listener's waiting events and returns them, oldest first; their rows stay for a stream that continues.
    static func dequeue(
        for listener: EndpointID, rowsMax: Int, on database: some PostgresExecutor
    ) async throws -> [(event: EventID, body: Data)] {
        try await database.query(
            """
            WITH dequeued AS (
                UPDATE event_deliveries SET state = 'delivered'
                WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_deliveries
                    WHERE endpoint_id = \(listener.rawValue) AND state = 'waiting'
                    ORDER BY event_delivery_id LIMIT \(rowsMax)))
                RETURNING event_delivery_id, event_id
            )
            SELECT dequeued.event_id, body FROM dequeued JOIN events ON events.event_id = dequeued.event_id
            ORDER BY event_delivery_id
            """
        ).compactMap { row in
            guard let event = EventID(rawValue: try row.decode("event_id")) else { return nil }
            return (event, Data(try row.decode("body", as: [UInt8].self)))
        }
    }

    /// Queues for a listener what a former one's program has not received, and deletes the former one.
    ///
    /// - Parameter last: the last received event; one that the former listener does not have is older than its queue.
    /// - Returns: false where the former listener is gone.
    static func continueQueue(
        of former: EndpointID, after last: EventID?, as listener: EndpointID, in transaction: PostgresTransaction
    ) async throws -> Bool {
        let found = try await transaction.query(
            "SELECT FROM endpoints WHERE endpoint_id = \(former.rawValue) AND kind = 'listener' FOR UPDATE")
        guard !found.isEmpty else { return false }
        try await transaction.execute(
            """
            UPDATE event_deliveries AS former SET endpoint_id = \(listener.rawValue), state = 'waiting'
            WHERE endpoint_id = \(former.rawValue)
                AND (state = 'waiting' OR event_delivery_id > coalesce((SELECT max(event_delivery_id)
                    FROM event_deliveries WHERE endpoint_id = \(former.rawValue) AND event_id = \(last?.rawValue)), 0))
                AND NOT EXISTS (SELECT FROM event_deliveries AS own
                    WHERE own.endpoint_id = \(listener.rawValue) AND own.event_id = former.event_id)
            """)
        try await EndpointRepository.delete(former, on: transaction)
        return true
    }
}
