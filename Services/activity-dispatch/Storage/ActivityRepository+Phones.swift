import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient

extension ActivityRepository {
    /// A device and when its app last reported.
    struct StoredPhone: Sendable {
        let device: Device
        let reportedAt: Date?

        init(_ row: PostgresRow) throws {
            device = try StoredDevice(row).device
            reportedAt = try row.decode("reported_at")
        }
    }

    /// A card with the pushes that it can receive.
    struct PhoneCard: Sendable {
        let device: DeviceID
        let updateToken: PushToken?
        let body: CustomerPhoneBody.Card
    }

    private static let phonesMax = 100

    /// Customers' devices by their id, and their cards of activities, oldest first.
    static func phones(
        of customers: [CustomerID], showing activities: [ActivityID], on pool: PostgresPool
    ) async throws -> ([StoredPhone], [DeviceID: [PhoneCard]]) {
        let results = try await pool.batch([
            """
            SELECT * FROM devices WHERE customer_id = ANY(\(customers.map(\.rawValue)))
            ORDER BY device_id LIMIT \(phonesMax)
            """,
            """
            SELECT cards.card_id, cards.device_id, cards.activity_id, update_token, update_token_origin, newest.*
            FROM cards JOIN devices USING (device_id) LEFT JOIN LATERAL (
                SELECT event, priority, version, step, leased_at, result, cause, apns_id, seen_at, missed_at
                FROM pushes WHERE pushes.card_id = cards.card_id ORDER BY pushes.fence DESC LIMIT 1) AS newest ON true
            WHERE cards.activity_id = ANY(\(activities.map(\.rawValue)))
                AND devices.customer_id = ANY(\(customers.map(\.rawValue)))
            ORDER BY number
            """,
        ])
        let cards = try results[1].rows.map(PhoneCard.init)
        return (try results[0].rows.map(StoredPhone.init), Dictionary(grouping: cards, by: \.device))
    }

    /// Devices' sent and shown pushes of the last hours, by device and hours; devices without pushes are missing.
    static func measures(
        of devices: [DeviceID], hours: [Int], at now: Date, on pool: PostgresPool
    ) async throws -> [DeviceID: [Int: CustomerPhoneBody.Measure]] {
        guard !devices.isEmpty else { return [:] }
        let results = try await pool.batch(
            hours.map { counts(of: devices, since: now.addingTimeInterval(-Double($0) * 3600)) })
        var measures: [DeviceID: [Int: CustomerPhoneBody.Measure]] = [:]
        for (hours, result) in zip(hours, results) {
            let rows = try result.rows.map(CountRow.init)
            for (device, rows) in Dictionary(grouping: rows, by: \.device) {
                func count(_ kind: String) -> CustomerPhoneBody.Count { rows.first { $0.kind == kind }?.count ?? .none }
                measures[device, default: [:]][hours] = CustomerPhoneBody.Measure(
                    hours: hours, starts: count("start"), high: count("high"), low: count("low"))
            }
        }
        return measures
    }

    private static func counts(of devices: [DeviceID], since: Date) -> SQL {
        """
        SELECT pushes.device_id, count(*) AS sent, count(seen_at) AS shown,
            count(*) FILTER (WHERE seen_at IS NULL AND missed_at IS NOT NULL) AS missing,
            CASE WHEN event = 'start' THEN 'start' WHEN priority = 10 THEN 'high' ELSE 'low' END AS kind
        FROM pushes JOIN cards USING (card_id)
        WHERE cards.device_id = ANY(\(devices.map(\.rawValue))) AND leased_at > \(since)
            AND (result = 'taken' OR seen_at IS NOT NULL)
        GROUP BY pushes.device_id, kind
        """
    }

    private struct CountRow {
        let device: DeviceID
        let kind: String
        let count: CustomerPhoneBody.Count

        init(_ row: PostgresRow) throws {
            device = try row.decode("device_id")
            kind = try row.decode("kind")
            count = CustomerPhoneBody.Count(
                sent: try row.decode("sent"), shown: try row.decode("shown"), missing: try row.decode("missing"))
        }
    }

    // MARK: Evidence of reports

    /// Pushes that are read for one report at most, of all cards that it names; the newest.
    private static let measuredPushesMax = 1000

    /// The pushes to cards since a time of which it is not known that they were shown, oldest first.
    static func ledgerPushes(
        to cards: [UUID], since: Date, in transaction: PostgresTransaction
    ) async throws -> [UUID: [LedgerPush]] {
        let rows = try await transaction.query(
            """
            SELECT * FROM (
                SELECT push_id, card_id, event, priority, version, step, leased_at, result, seen_at, missed_at
                FROM pushes WHERE card_id = ANY(\(cards)) AND leased_at > \(since)
                ORDER BY push_id DESC LIMIT \(measuredPushesMax)) AS newest
            ORDER BY push_id
            """)
        var pushes: [UUID: [LedgerPush]] = [:]
        for row in rows { pushes[try row.decode("card_id"), default: []].append(try LedgerPush(row)) }
        return pushes
    }

    /// Stores the evidence about a push.
    static func save(_ push: LedgerPush) -> SQL {
        "UPDATE pushes SET seen_at = \(push.seenAt), missed_at = \(push.missedAt) WHERE push_id = \(push.id)"
    }
}

extension ActivityRepository.PhoneCard {
    fileprivate init(_ row: PostgresRow) throws {
        device = try row.decode("device_id")
        updateToken = try row.decodeToken("update_token")
        body = CustomerPhoneBody.Card(
            card: try row.decode("card_id", as: UUID.self).uuidString.lowercased(),
            activity: try row.decode("activity_id", as: ActivityID.self).rawValue,
            updateToken: updateToken.map(CustomerPhoneBody.Token.init),
            newestPush: try row.decode("event", as: String?.self).map { try CustomerPhoneBody.Push(event: $0, row) })
    }
}

extension CustomerPhoneBody.Push {
    fileprivate init(event: String, _ row: PostgresRow) throws {
        self.init(
            at: try row.decode("leased_at"), event: event, priority: try row.decode("priority"),
            revision: Revision(version: try row.decode("version"), step: try row.decode("step")),
            result: try row.decode("result"), reason: try row.decode("cause"),
            apnsID: try row.decode("apns_id", as: UUID?.self)?.uuidString.lowercased(),
            seenAt: try row.decode("seen_at"), missedAt: try row.decode("missed_at"))
    }
}

extension LedgerPush {
    init(_ row: PostgresRow) throws {
        self.init(
            id: try row.decode("push_id"), event: try row.decode("event"), priority: try row.decode("priority"),
            revision: Revision(version: try row.decode("version"), step: try row.decode("step")),
            sentAt: try row.decode("leased_at"), result: try row.decode("result"),
            seenAt: try row.decode("seen_at"), missedAt: try row.decode("missed_at"))
    }
}

extension Push.Event: PostgresDecodable {}
