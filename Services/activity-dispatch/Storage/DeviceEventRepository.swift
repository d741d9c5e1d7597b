import Foundation
import OrderDomain
import PostgresClient

/// The SQL of device streams: the newest event of each card, and how far each stream has come.
enum DeviceEventRepository {
    /// A push as the newest event of its card.
    struct EventRow: Sendable {
        let push: Push
        let device: DeviceID
        let delivery: DeliveryID?
        /// The id of the event in the device's stream.
        let id: Int
        /// The id of the card's start, where this is the first of the card.
        var startID: Int
        /// The event's text on the stream.
        let data: String

        /// The state as a start event.
        func startData() throws -> String {
            // A device without the card draws nothing of a push that is no start.
            push.event == .start ? data : try push.startEventText(delivery: delivery) ?? data
        }

        /// A card that is dismissed at once is dismissed when its end is pushed: retention counts from there, and an
        /// offline device has yet to read the end.
        var dismissedAt: Date? {
            guard push.event == .end else { return nil }
            return Date(timeIntervalSince1970: TimeInterval(max(push.dismissal ?? 0, push.timestamp)))
        }
    }

    /// Stores pushes as the newest events of their cards, replacing the former ones, in one statement or in none.
    static func upsert(_ rows: [EventRow]) throws -> [SQL] {
        guard !rows.isEmpty else { return [] }
        return [
            """
            INSERT INTO device_events (device_id, card_id, sequence, start_sequence, is_end, data, start_data,
                dismissed_at)
            SELECT * FROM unnest(\(rows.map(\.device.rawValue))::text[], \(rows.map(\.push.card)), \(rows.map(\.id)),
                \(rows.map(\.startID)), \(PostgresNullableArray(rows.map { $0.push.event == .end }))::boolean[],
                \(PostgresTextArray(rows.map(\.data))), \(PostgresTextArray(try rows.map { try $0.startData() })),
                \(PostgresNullableArray(rows.map(\.dismissedAt)))::timestamptz[])
            ON CONFLICT (device_id, card_id) DO UPDATE SET sequence = excluded.sequence, is_end = excluded.is_end,
                data = excluded.data, start_data = excluded.start_data, dismissed_at = excluded.dismissed_at
            """
        ]
    }

    /// A card's newest event, and whether the device may show the card to the customer who reads.
    struct StoredEvent: Sendable {
        let event: DeviceEvent
        let isOwn: Bool
    }

    /// The events of a device after an id, in no order.
    ///
    /// - Parameter now: domain time; an end with a past dismissal, and an event of a card that has left the screen, are
    ///   marked so.
    /// - Returns: nil when the device no longer belongs to the customer or to the reader's store.
    static func events(
        of device: DeviceID, for customer: CustomerID, within store: StoreID?, after id: Int, now: Date,
        on pool: PostgresPool
    ) async throws -> [StoredEvent]? {
        let results = try await pool.batch([
            """
            SELECT FROM devices WHERE device_id = \(device) AND customer_id = \(customer)
                AND (\(store)::text IS NULL OR store_id = \(store))
            """,
            """
            SELECT sequence, start_sequence, is_end, data, start_data,
                coalesce(device_events.dismissed_at <= \(now), false)
                    OR cards.state IN ('dismissed', 'swiped', 'replaced', 'lost') AS is_dismissed,
                activities.customer_id = \(customer)
                    AND (devices.store_id IS NULL OR activities.store_id IS NOT DISTINCT FROM devices.store_id) AS is_own
            FROM device_events JOIN cards USING (card_id) JOIN activities USING (activity_id)
                JOIN devices ON devices.device_id = device_events.device_id
            WHERE device_events.device_id = \(device) AND sequence > \(id)
            """,
        ])
        guard !results[0].rows.isEmpty else { return nil }
        return try results[1].rows.map { row in
            StoredEvent(
                event: DeviceEvent(
                    id: try row.decode("sequence"), startID: try row.decode("start_sequence"),
                    isEnd: try row.decode("is_end"), data: try row.decode("data"),
                    startData: try row.decode("start_data"), isDismissed: try row.decode("is_dismissed")),
                isOwn: try row.decode("is_own"))
        }
    }

    /// A process's knowledge of one of its open streams.
    struct KnownStream: Sendable {
        let number: Int
        let device: DeviceID
        let customer: CustomerID
        let lastEventID: Int
    }

    /// The open streams with newer events or another customer, by number, with the newest event id.
    static func changed(
        of streams: [KnownStream], on pool: PostgresPool
    ) async throws -> [(number: Int, lastEventID: Int)] {
        // Compared in the database, so that a poll without changes returns no rows.
        try await pool.query(
            """
            SELECT known.id, devices.last_sequence
            FROM unnest(\(streams.map(\.number))::bigint[], \(streams.map(\.device.rawValue))::text[],
                \(streams.map(\.customer.rawValue))::text[], \(streams.map(\.lastEventID))::bigint[])
                AS known (id, device_id, customer_id, last_sequence)
            JOIN devices USING (device_id)
            WHERE (devices.last_sequence, devices.customer_id) IS DISTINCT FROM (known.last_sequence, known.customer_id)
            """
        ).map { (try $0.decode("id"), try $0.decode("last_sequence")) }
    }
}
