import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import SeededRandom

@testable import ActivityDispatch

/// Random deliveries that ended within a day of UTC, as the tables have them; some were reopened and ended again.
struct SampleDay {
    struct Delivery {
        let id: UUID
        var episode = 1
        let store: String
        let zone: String
        let endedAt: Date
        var cards: [SampleCard] = []
    }

    struct SampleDevice {
        let id: String
        let app: String?
        let system: String?
        let transport: String
        let isEnabled: Bool
        let permission: String?
        /// Whether it has another app, system, transport and permission by now; its cards keep these.
        let isUpdated: Bool
    }

    struct SampleCard {
        let id: UUID
        let device: SampleDevice
        let state: String
        let startedAt: Date?
        let dismissedAt: Date?
        var pushes: [SamplePush] = []
    }

    struct SamplePush {
        let event: String
        let version: Int
        let sentAt: Date
        let result: String?
        let wantedAt: Date?
        let seenAt: Date?
        let missedAt: Date?
        let delay: String?
    }

    static let stores = [
        (id: "nordhavn", zone: "Europe/Copenhagen"), (id: "valby", zone: "Europe/Copenhagen"),
        (id: "shibuya", zone: "Asia/Tokyo"), (id: "manly", zone: "Australia/Sydney"),
    ]

    private(set) var deliveries: [Delivery] = []
    private var random: SeededGenerator
    private let middle: Date

    /// - Parameter count: of ends.
    init(seed: UInt64, deliveries count: Int, around noon: Date = ActivityDispatchTests.noon) {
        random = SeededGenerator(seed: seed)
        middle = noon
        while deliveries.count < count {
            let first = delivery()
            deliveries.append(first)
            guard chance(0.1), deliveries.count < count else { continue }
            deliveries.append(delivery(reopening: first))
        }
    }

    private mutating func pick<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: all.indices, using: &random)]
    }
    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
    /// Eighths of a second, which neither a text nor a sum rounds.
    private mutating func seconds(_ range: ClosedRange<Int>) -> TimeInterval {
        Double(Int.random(in: (range.lowerBound * 8)...(range.upperBound * 8), using: &random)) / 8
    }

    private mutating func delivery(reopening former: Delivery? = nil) -> Delivery {
        let store = former.map { (id: $0.store, zone: $0.zone) } ?? pick(Self.stores)
        let earliest = former.map { Int($0.endedAt.timeIntervalSince(middle)) } ?? -43_200
        let endedAt = middle + Double(Int.random(in: earliest..<43_200, using: &random))
        var delivery = Delivery(
            id: former?.id ?? UUID(), episode: former == nil ? 1 : 2, store: store.id, zone: store.zone,
            endedAt: endedAt)
        for _ in 0..<pick([0, 1, 1, 1, 2]) {
            let isEnabled = chance(0.8)
            let device = SampleDevice(
                id: UUID().uuidString.lowercased(), app: pick([nil, "4.1", "4.2", "4.2-beta"]),
                system: pick([nil, "17.5", "18.1", "18.1.2"]),
                transport: pick(["apns", "apns", "stream"]), isEnabled: isEnabled,
                permission: pick(isEnabled ? [nil, "allowed", "not_asked"] : [nil, "refused", "switched_off"]),
                isUpdated: chance(0.5))
            let first = card(on: device, endedAt: endedAt)
            delivery.cards.append(first)
            if first.state == "replaced" { delivery.cards.append(card(on: device, endedAt: endedAt)) }
        }
        return delivery
    }

    private mutating func card(on device: SampleDevice, endedAt: Date) -> SampleCard {
        let state =
            device.isEnabled
            ? pick(["dismissed", "dismissed", "dismissed", "ended", "swiped", "replaced", "lost", "active", "starting"])
            : "waiting"
        let startedAt = state == "waiting" ? nil : endedAt - seconds(600...7_200)
        var card = SampleCard(
            id: UUID(), device: device, state: state, startedAt: startedAt,
            dismissedAt: ["dismissed", "ended"].contains(state) ? endedAt + seconds(60...900) : nil)
        guard let startedAt else { return card }
        var version = 1
        if chance(0.8) {
            card.pushes.append(push("start", version, wantedAt: startedAt, sentAt: startedAt))
        }
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            if chance(0.8) { version += 1 }
            let wantedAt = startedAt + seconds(1...500)
            card.pushes.append(push("update", version, wantedAt: wantedAt, sentAt: wantedAt + seconds(0...45)))
        }
        if ["dismissed", "ended", "replaced"].contains(state) {
            // Some ends are reported late.
            let wantedAt = endedAt + pick([0, 0, 90])
            card.pushes.append(push("end", version + 1, wantedAt: wantedAt, sentAt: wantedAt + seconds(0...45)))
        }
        return card
    }

    private mutating func push(_ event: String, _ version: Int, wantedAt: Date, sentAt: Date) -> SamplePush {
        let result = pick(["taken", "taken", "taken", "taken", nil, "unknown", "not_sent", "refused", "gone"])
        return SamplePush(
            event: event, version: version, sentAt: sentAt, result: result, wantedAt: chance(0.95) ? wantedAt : nil,
            seenAt: chance(0.7) ? sentAt + seconds(0...90) : nil,
            missedAt: chance(0.2) ? sentAt + seconds(10...90) : nil,
            delay: pick([nil, nil, "throttled", "start_budget", "budget", "no_update_token", "unconfirmed", "retrying"])
        )
    }

    // MARK: Rows

    /// Stores the day as the service would have.
    func store(on pool: PostgresPool) async throws {
        var tables: [String: [[String: String]]] = [:]
        for delivery in deliveries {
            let (customer, activity) = (
                "customer-\(delivery.id)", "\(delivery.id.uuidString.lowercased())-\(delivery.episode)"
            )
            tables["customers", default: []].append(["customer_id": customer, "summary_episode": "0"])
            tables["activities", default: []].append([
                "activity_id": activity, "customer_id": customer, "delivery_id": delivery.id.uuidString.lowercased(),
                "store_id": delivery.store, "is_ended": "true", "version": "9", "step": "0",
                "wanted_at": Self.text(delivery.endedAt + 2), "first_end": Self.text(delivery.endedAt),
                "wanted": """
                {"ended":{"endedAt":\(Int(delivery.endedAt.timeIntervalSince1970) + 90_000),
                "attributes":{"store":"\(delivery.store.capitalized)","timeZone":"\(delivery.zone)"}}}
                """,
            ])
            for card in delivery.cards { Self.add(card, of: activity, customer, to: &tables) }
        }
        for (table, columns) in Self.columns {
            // Each value is a text, and so is the JSON.
            let values = columns.replacing(/, (wanted|made_on)$/) { ", (\($0.output.1) #>> '{}')::jsonb" }
            let rows = tables[table] ?? []
            for start in stride(from: 0, to: rows.count, by: 5_000) {
                let part = Array(rows[start..<min(start + 5_000, rows.count)])
                try await pool.execute(
                    """
                    INSERT INTO \(raw: table) (\(raw: columns))
                    SELECT \(raw: values)
                    FROM jsonb_populate_recordset(NULL::\(raw: table), \(.json(part)))
                    ON CONFLICT DO NOTHING
                    """)
            }
        }
    }

    private static let columns: KeyValuePairs = [
        "customers": "customer_id, summary_episode",
        "activities":
            "activity_id, customer_id, delivery_id, store_id, is_ended, version, step, wanted_at, first_end, wanted",
        "devices": """
        device_id, customer_id, transport, locale, time_zone, is_enabled, allows_frequent_pushes, app_version, os_version,
        permission, registered_at, start_tokens, start_tokens_at
        """,
        "cards": """
        card_id, activity_id, device_id, state, last_timestamp, alerted_ids, started_at, dismissed_at, attempts,
        urgent_tokens, urgent_tokens_at, fence, must_end, made_on
        """,
        "pushes": """
        card_id, device_id, activity_id, event, priority, timestamp, version, step, fence, leased_at, result, seen_at,
        missed_at, wanted_at, delayed_by
        """,
    ]

    private static func add(
        _ card: SampleCard, of activity: String, _ customer: String, to tables: inout [String: [[String: String]]]
    ) {
        let (device, epoch) = (card.device, text(noon))
        tables["devices", default: []].append(
            [
                "device_id": device.id, "customer_id": customer, "locale": "en", "time_zone": "UTC",
                "transport": device.isUpdated ? (device.transport == "apns" ? "stream" : "apns") : device.transport,
                "is_enabled": "\(device.isEnabled != device.isUpdated)", "allows_frequent_pushes": "true",
                "registered_at": epoch, "start_tokens": "1", "start_tokens_at": epoch,
            ].adding([
                "app_version": device.isUpdated ? "9.9" : device.app,
                "os_version": device.isUpdated ? "27.0" : device.system,
                "permission": device.isUpdated ? "refused" : device.permission,
            ]))
        tables["cards", default: []].append(
            [
                "card_id": card.id.uuidString, "activity_id": activity, "device_id": device.id, "state": card.state,
                "last_timestamp": "0", "alerted_ids": "[]", "attempts": "0", "urgent_tokens": "1",
                "urgent_tokens_at": epoch, "fence": "0", "must_end": "false",
            ].adding([
                "started_at": card.startedAt.map(text), "dismissed_at": card.dismissedAt.map(text),
                "made_on": device.isUpdated ? madeOn(device) : nil,
            ]))
        for (fence, push) in card.pushes.enumerated() {
            tables["pushes", default: []].append(
                [
                    "card_id": card.id.uuidString, "device_id": device.id, "activity_id": activity,
                    "event": push.event, "priority": "10", "timestamp": "0", "version": "\(push.version)", "step": "0",
                    "fence": "\(fence)", "leased_at": text(push.sentAt),
                ].adding([
                    "result": push.result, "seen_at": push.seenAt.map(text), "missed_at": push.missedAt.map(text),
                    "wanted_at": push.wantedAt.map(text), "delayed_by": push.delay,
                ]))
        }
    }

    private static func madeOn(_ device: SampleDevice) -> String {
        let texts = [("app", device.app), ("os", device.system), ("permission", device.permission)].map { name, value in
            "\"\(name)\":\(value.map { "\"\($0)\"" } ?? "null")"
        }
        return "{\"transport\":\"\(device.transport)\",\"isEnabled\":\(device.isEnabled),"
            + texts.joined(separator: ",") + "}"
    }

    private static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension [String: String] {
    fileprivate func adding(_ optional: [String: String?]) -> [String: String] {
        merging(optional.compactMapValues(\.self)) { one, _ in one }
    }
}
