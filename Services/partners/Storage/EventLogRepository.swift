import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of the delivery log: events, attempts and results at each endpoint.
enum EventLogRepository {
    /// A page of an endpoint's events, newest first, and the number after which the next one begins; nil for the last
    /// page.
    static func deliveries(
        of endpoint: EndpointID, state: EventDeliveryBody.State?, event: EventID? = nil, before: Int?, rowsMax: Int,
        on database: some PostgresExecutor
    ) async throws -> (deliveries: [EventDeliveryBody], next: Int?) {
        var condition: SQL = "event_deliveries.endpoint_id = \(endpoint.rawValue)"
        if let event {
            // By an index each of first sends and of replays.
            let rows: SQL =
                "event_deliveries.endpoint_id = \(endpoint.rawValue) AND event_deliveries.event_id = \(event.rawValue)"
            condition = "((\(sql: rows) AND NOT is_replay) OR (\(sql: rows) AND is_replay))"
        }
        if let state { condition += " AND state = '\(raw: state.rawValue)'" }
        if let before { condition += " AND event_delivery_id < \(before)" }
        let rows = try await database.query(
            """
            SELECT event_delivery_id, event_deliveries.event_id, type, delivery_id, state, is_replay, attempts, created_at,
                due_at, last_status, last_error
            FROM event_deliveries JOIN events ON events.event_id = event_deliveries.event_id
            WHERE \(sql: condition) ORDER BY event_delivery_id DESC LIMIT \(rowsMax + 1)
            """)
        let page = rows.prefix(rowsMax)
        let last = rows.count > rowsMax ? page.last : nil
        return (try page.compactMap { try delivery($0) }, try last?.decode("event_delivery_id", as: Int.self))
    }

    /// One event of an endpoint with its newest attempts and the body; nil for an event of other endpoints.
    static func delivery(
        of event: EventID, to endpoint: EndpointID, on database: some PostgresExecutor
    ) async throws -> EventDeliveryBody? {
        let newest = try await deliveries(
            of: endpoint, state: nil, event: event, before: nil, rowsMax: 1, on: database
        ).deliveries.first
        guard let newest else { return nil }
        let results = try await database.batch([
            "SELECT body FROM events WHERE event_id = \(event.rawValue)",
            """
            SELECT at, milliseconds, status, error, answer FROM attempts
            WHERE endpoint_id = \(endpoint.rawValue) AND event_id = \(event.rawValue)
            ORDER BY attempt_id DESC LIMIT 200
            """,
        ])
        let body = try results[0].rows.first?.decode("body", as: [UInt8].self) ?? []
        return EventDeliveryBody(
            event: newest.event, type: newest.type, delivery: newest.delivery, state: newest.state,
            isReplay: newest.isReplay, attempts: newest.attempts, createdAt: newest.createdAt,
            nextAttemptAt: newest.nextAttemptAt, lastStatus: newest.lastStatus, lastError: newest.lastError,
            log: try results[1].rows.reversed().map { row in
                AttemptBody(
                    at: try row.decode("at"), milliseconds: try row.decode("milliseconds"),
                    status: try row.decode("status"), error: try row.decode("error"), answer: try row.decode("answer"))
            }, body: String(decoding: body, as: UTF8.self))
    }

    private static func delivery(_ row: PostgresRow) throws -> EventDeliveryBody? {
        guard let event = EventID(rawValue: try row.decode("event_id")),
            let type = WebhookEventType(rawValue: try row.decode("type")),
            let state = EventDeliveryBody.State(rawValue: try row.decode("state"))
        else { return nil }
        return EventDeliveryBody(
            event: event, type: type, delivery: DeliveryID(rawValue: try row.decode("delivery_id")), state: state,
            isReplay: try row.decode("is_replay"), attempts: try row.decode("attempts"),
            createdAt: try row.decode("created_at"),
            nextAttemptAt: state == .waiting ? try row.decode("due_at") : nil,
            lastStatus: try row.decode("last_status"), lastError: try row.decode("last_error"))
    }
}
