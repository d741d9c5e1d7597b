import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import PostgresClient

extension ActivityRepository {
    /// An activity's cards with their sent, answered and shown states, as HTTP answers them.
    ///
    /// The connection of a device that is another customer's since is not theirs to see.
    static func cardBodies(of activity: ActivityID, on pool: PostgresPool) async throws -> [CardBody] {
        try await pool.query(
            """
            SELECT cards.*, devices.transport, seen_at, open_until > clock_timestamp() AS is_connected,
                (SELECT result FROM pushes WHERE pushes.card_id = cards.card_id ORDER BY fence DESC LIMIT 1) AS answered
            FROM cards JOIN devices USING (device_id) JOIN activities USING (activity_id)
                LEFT JOIN device_connections ON device_connections.device_id = cards.device_id
                    AND devices.customer_id = activities.customer_id
            WHERE cards.activity_id = \(activity) ORDER BY number
            """
        ).map(CardBody.init)
    }

    /// An activity's pushes and overrides, oldest first.
    ///
    /// - Parameters:
    ///   - entriesMax: of each kind; the oldest are omitted.
    ///   - withContent: whether each push includes its rendered payload.
    static func timeline(
        of activity: ActivityID, entriesMax: Int, withContent: Bool, on pool: PostgresPool
    ) async throws -> [ActivityTimelineEntryBody] {
        let results = try await pool.batch([
            "SELECT * FROM pushes WHERE activity_id = \(activity) ORDER BY push_id DESC LIMIT \(entriesMax)",
            "SELECT * FROM overrides WHERE activity_id = \(activity) ORDER BY override_id DESC LIMIT \(entriesMax)",
        ])
        let pushes = try results[0].rows.reversed().map {
            try ActivityTimelineEntryBody(push: $0, withContent: withContent)
        }
        let overrides = try results[1].rows.reversed().map(ActivityTimelineEntryBody.init(override:))
        // An override comes before the push that it caused.
        return (overrides + pushes).sorted { ($0.at, $0.kind) < ($1.at, $1.kind) }
    }
}

extension ActivityTimelineEntryBody {
    fileprivate init(push row: PostgresRow, withContent: Bool) throws {
        self.init(
            at: try row.decode("leased_at"), kind: "push", device: try row.decode("device_id"),
            card: try row.decode("card_id", as: UUID.self).uuidString.lowercased(),
            what: try row.decode("event"), priority: try row.decode("priority"),
            timestamp: try row.decode("timestamp"),
            revision: Revision(version: try row.decode("version"), step: try row.decode("step")),
            alert: try row.decode("alert_id"), result: try row.decode("result"),
            // A payload of a former version may not decode; the inspection then shows the push without content.
            rendered: withContent
                ? try row.decode("rendered", as: String?.self).flatMap { try? PushPayload(decoding: $0.utf8) } : nil)
    }

    fileprivate init(override row: PostgresRow) throws {
        self.init(
            at: try row.decode("at"), kind: "override", device: try row.decode("device_id"), card: nil,
            what: try row.decode("verb"), by: try row.decode("operator"), reason: try row.decode("reason"))
    }
}

extension CardBody {
    fileprivate init(_ row: PostgresRow) throws {
        let stored = try StoredCard(row)
        let card = stored.card
        let sent = card.sent?.content.revision
        let confirmed = card.state == .waiting ? nil : card.shown
        let transport = try row.decode("transport", as: Device.Transport.self)
        self.init(
            card: card.id.uuidString.lowercased(), device: card.device.rawValue,
            transport: transport.rawValue, state: card.state.rawValue, sent: sent,
            timestamp: card.lastTimestamp > 0 ? card.lastTimestamp : nil, answered: try row.decode("answered"),
            assumedShown: confirmed ?? sent, confirmed: confirmed,
            updatedByApp: card.updatedByApp, isConnected: try row.decode("is_connected"),
            lastConnectedAt: try row.decode("seen_at"), startedAt: card.startedAt, dismissedAt: card.dismissedAt,
            scheduledAt: card.scheduledAt,
            frozen: card.frozen(on: transport), isBehind: stored.behindSince != nil, why: stored.reason)
    }
}
