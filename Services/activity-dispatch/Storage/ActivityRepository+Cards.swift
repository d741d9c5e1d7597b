import FlowControl
import Foundation
import LiveActivity
import Messages
import PostgresClient

/// A card with its row's other columns.
struct StoredCard: Sendable {
    /// A closed card has the reason `over`, and is not behind.
    var card: Card {
        didSet { if !card.state.isOpen { (reason, behindSince) = (Decision.Reason.over.rawValue, nil) } }
    }
    /// Orders the cards of a device; none before it is written, where it comes last.
    private(set) var number = Int.max
    /// Wall time until which a leased push may run.
    var leasedUntil: Date?
    var reason: String?
    var behindSince: Date?

    /// - Parameter sent: the state of the card where it is known; nil decodes it.
    init(_ row: PostgresRow, sent: ActivityStep? = nil) throws {
        card = try Card(row, sent: sent)
        number = try row.decode("number")
        leasedUntil = try row.decode("leased_until")
        reason = try row.decode("reason")
        behindSince = try row.decode("behind_since")
    }

    init(_ card: Card) { self.card = card }
}

extension ActivityRepository {
    /// A card that is reconciled, with its activity.
    typealias OpenCard = (activity: Activity, stored: StoredCard)

    /// Cards that may need work: the open ones, and those with an end to be repeated.
    static let reconciled: SQL = """
        (state IN ('waiting', 'starting', 'active', 'ended')
            OR (end_repeat_at IS NOT NULL AND state IN ('dismissed', 'replaced', 'signed_out')))
        """

    /// The open cards of devices, and those with an end to be repeated, oldest first.
    ///
    /// The caller holds the devices' locks.
    static func openCards(
        on devices: [DeviceID], in transaction: PostgresTransaction
    ) async throws -> [DeviceID: [OpenCard]] {
        try openCards(
            try await transaction.query(openCards(on: "SELECT unnest(\(devices.map(\.rawValue))::text[])")))
    }

    /// - Parameter devices: a query for their ids.
    static func openCards(on devices: SQL) -> SQL {
        // A customer's devices show the same activities, and most cards show what is wanted: each state is decoded
        // once.
        """
        SELECT cards.*, cards.sent = activities.wanted AS is_up_to_date,
            activities.customer_id, activities.delivery_id, activities.store_id,
            activities.traceparent, activities.wanted_at,
            CASE WHEN row_number() OVER (PARTITION BY activity_id ORDER BY number) = 1
                THEN activities.wanted END AS wanted
        FROM cards JOIN activities USING (activity_id)
        WHERE device_id IN (\(sql: devices)) AND \(sql: reconciled)
        ORDER BY number
        """
    }

    /// Rows of ``openCards(on:)-(SQL)``.
    ///
    /// - Parameter known: activities as they are stored, which are not decoded again.
    static func openCards(_ rows: [PostgresRow], known: [Activity] = []) throws -> [DeviceID: [OpenCard]] {
        var activities = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
        let cards = try rows.map { row in
            let activity = try activities[row.decode("activity_id")] ?? Activity(row)
            activities[activity.id] = activity
            let isUpToDate = try row.decode("is_up_to_date", as: Bool?.self) ?? false
            let stored = try StoredCard(row, sent: isUpToDate ? activity.wanted : nil)
            return (activity: activity, stored: stored)
        }
        return Dictionary(grouping: cards, by: \.stored.card.device)
    }

    /// The number of the cards of ``openCards(on:in:)`` on each of these devices; devices without any are missing.
    static func countOpenCards(
        on devices: [DeviceID], in transaction: PostgresTransaction
    ) async throws -> [DeviceID: Int] {
        let counts = try await transaction.query(
            """
            SELECT device_id, count(*) AS cards FROM cards
            WHERE device_id = ANY(\(devices.map(\.rawValue))) AND \(sql: reconciled)
            GROUP BY device_id
            """
        ).map { (try $0.decode("device_id", as: DeviceID.self), try $0.decode("cards", as: Int.self)) }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// A device's cards of these activities, or of all; closed ones included, oldest first.
    static func cards(
        on device: DeviceID, of activities: [ActivityID]? = nil, in executor: some PostgresExecutor
    ) async throws -> [StoredCard] {
        var sql: SQL = "SELECT * FROM cards WHERE device_id = \(device)"
        if let activities { sql += " AND activity_id = ANY(\(activities.map(\.rawValue)))" }
        return try await executor.query(sql + " ORDER BY number").map { try StoredCard($0) }
    }

    static func cards(of activity: ActivityID, on executor: some PostgresExecutor) async throws -> [StoredCard] {
        try await executor.query("SELECT * FROM cards WHERE activity_id = \(activity) ORDER BY number")
            .map { try StoredCard($0) }
    }

    /// Upserts cards whole, in one statement or in none; the caller holds their devices' locks.
    ///
    /// A card never changes its device or activity: an id that a card of another one has already changes nothing.
    /// It keeps what its device was when it started, for totals that are counted later.
    static func save(_ stored: [StoredCard]) -> [SQL] {
        guard !stored.isEmpty else { return [] }
        let cards = stored.map(\.card)
        return [
            """
            INSERT INTO cards (card_id, activity_id, device_id, replaces, state, sent, last_timestamp, last_push_at,
                shown, alerted_ids, started_at, dismissed_at, attempts, failed_for, retry_at, refreshed, end_repeat_at,
                urgent_tokens, urgent_tokens_at, urgent_arrival, attributes_bytes, unfit, fence, update_token, must_end,
                leased_until, reason, behind_since, instance, in_flight, update_token_origin,
                updated_by_app, scheduled_at, removed_by_switch, made_on)
            SELECT card.*, (SELECT \(sql: deviceFacts) FROM devices WHERE devices.device_id = card.device_id)
            FROM unnest(\(cards.map(\.id)), \(cards.map(\.activity.rawValue))::text[],
                \(cards.map(\.device.rawValue))::text[], \(PostgresNullableArray(cards.map(\.replaces)))::uuid[],
                \(cards.map(\.state.rawValue))::text[], \(PostgresJSONArray(cards.map(\.sent))),
                \(cards.map(\.lastTimestamp)), \(PostgresNullableArray(cards.map(\.lastPushAt)))::timestamptz[],
                \(PostgresJSONArray(cards.map(\.shown))), \(PostgresJSONArray(cards.map(\.alertedIDs))),
                \(PostgresNullableArray(cards.map(\.startedAt)))::timestamptz[],
                \(PostgresNullableArray(cards.map(\.dismissedAt)))::timestamptz[], \(cards.map(\.failures.count)),
                \(PostgresNullableArray(cards.map(\.failures.reason)))::text[],
                \(PostgresNullableArray(cards.map(\.failures.retryAt)))::timestamptz[],
                \(PostgresJSONArray(cards.map(\.refreshed))),
                \(PostgresNullableArray(cards.map(\.endRepeatAt)))::timestamptz[],
                \(cards.map(\.urgentPushes.tokens)),
                \(PostgresNullableArray(cards.map(\.urgentPushes.countedAt)))::timestamptz[],
                \(PostgresNullableArray(cards.map(\.urgentArrival)))::bigint[],
                \(PostgresNullableArray(cards.map(\.attributesBytes)))::bigint[],
                \(PostgresJSONArray(cards.map(\.rejected))), \(cards.map(\.fencingToken)),
                \(PostgresNullableArray(cards.map(\.updateToken?.value)))::text[],
                \(PostgresNullableArray(cards.map(\.mustEnd)))::boolean[],
                \(PostgresNullableArray(stored.map(\.leasedUntil)))::timestamptz[],
                \(PostgresNullableArray(stored.map(\.reason)))::text[],
                \(PostgresNullableArray(stored.map(\.behindSince)))::timestamptz[],
                \(PostgresNullableArray(cards.map(\.instance)))::text[],
                \(PostgresJSONArray(cards.map(\.inFlight))), \(PostgresJSONArray(cards.map(\.updateToken))),
                \(PostgresJSONArray(cards.map(\.updatedByApp))),
                \(PostgresNullableArray(cards.map(\.scheduledAt)))::timestamptz[],
                \(PostgresNullableArray(cards.map(\.isRemovedBySwitch)))::boolean[])
                AS card (card_id, activity_id, device_id)
            ON CONFLICT (card_id) DO UPDATE SET state = excluded.state, sent = excluded.sent,
                last_timestamp = excluded.last_timestamp, last_push_at = excluded.last_push_at,
                shown = excluded.shown, alerted_ids = excluded.alerted_ids,
                started_at = excluded.started_at, dismissed_at = excluded.dismissed_at, attempts = excluded.attempts,
                failed_for = excluded.failed_for, retry_at = excluded.retry_at, refreshed = excluded.refreshed,
                end_repeat_at = excluded.end_repeat_at,
                urgent_tokens = excluded.urgent_tokens, urgent_tokens_at = excluded.urgent_tokens_at,
                urgent_arrival = excluded.urgent_arrival, attributes_bytes = excluded.attributes_bytes,
                unfit = excluded.unfit, fence = excluded.fence,
                update_token = excluded.update_token, must_end = excluded.must_end,
                leased_until = excluded.leased_until, reason = excluded.reason, behind_since = excluded.behind_since,
                instance = excluded.instance, in_flight = \(sql: inFlightOnSave),
                update_token_origin = excluded.update_token_origin, updated_by_app = excluded.updated_by_app,
                scheduled_at = excluded.scheduled_at, removed_by_switch = excluded.removed_by_switch,
                made_on = CASE WHEN cards.started_at IS NULL
                    THEN excluded.made_on ELSE coalesce(cards.made_on, excluded.made_on) END
            WHERE cards.device_id = excluded.device_id AND cards.activity_id = excluded.activity_id
            """
        ]
    }

    /// The facts of a device that totals need, as JSON.
    static let deviceFacts: SQL = """
        jsonb_build_object('app', app_version, 'os', os_version, 'transport', transport, 'isEnabled', is_enabled,
            'permission', permission)
        """

    /// The stored column of a push in flight: ``handOver(_:)`` may have run for the same push since the card was read,
    /// and its mark must not be reset.
    private static let inFlightOnSave: SQL = """
        CASE WHEN cards.fence = excluded.fence AND cards.in_flight ->> 'isHandedOver' = 'true'
            THEN jsonb_set(excluded.in_flight, '{isHandedOver}', 'true') ELSE excluded.in_flight END
        """

    /// The number of cards with an outdated state.
    static func cardsBehind(on executor: some PostgresExecutor) async throws -> CardsBehind {
        let ofApps = Decision.Reason.allCases.filter(\.waitsForApp).map(\.rawValue)
        let row = try await executor.query(
            """
            SELECT count(*) AS behind, min(behind_since) FILTER (WHERE NOT waits_for_app) AS oldest,
                count(*) FILTER (WHERE state = 'active' AND is_ended AND NOT waits_for_app) AS past_end
            FROM (
                SELECT state, is_ended, behind_since, coalesce(reason = ANY(\(ofApps)), false) AS waits_for_app
                FROM cards JOIN activities USING (activity_id) WHERE behind_since IS NOT NULL
            ) AS late
            """)[0]
        return CardsBehind(
            count: try row.decode("behind"), pastEndCount: try row.decode("past_end"),
            oldestSince: try row.decode("oldest"))
    }

    struct CardsBehind: Sendable {
        let count: Int
        /// Active though their activity has ended, without those that wait for their app.
        let pastEndCount: Int
        /// Domain time; nil when none is behind but those that wait for their app.
        let oldestSince: Date?
    }

    /// The ids that belong to any device's cards.
    static func knownCards(among ids: [UUID], in transaction: PostgresTransaction) async throws -> Set<UUID> {
        guard !ids.isEmpty else { return [] }
        let rows = try await transaction.query("SELECT card_id FROM cards WHERE card_id = ANY(\(ids))")
        return Set(try rows.map { try $0.decode("card_id") })
    }

    static func json(_ value: (some Encodable)?) -> SQL {
        if let value { "\(.json(value))" } else { "NULL" }
    }
}

extension Card {
    /// - Parameter sent: the row's state where it is known; nil decodes it.
    init(_ row: PostgresRow, sent known: ActivityStep? = nil) throws {
        self.init(
            id: try row.decode("card_id"), activity: try row.decode("activity_id"),
            device: try row.decode("device_id"), replaces: try row.decode("replaces"),
            urgentPushes: TokenBucket(
                tokens: try row.decode("urgent_tokens"), countedAt: try row.decode("urgent_tokens_at")))
        state = try row.decode("state")
        sent = try known ?? row.decodeJSONIfPresent("sent", as: ActivityStep.self)
        lastTimestamp = try row.decode("last_timestamp")
        lastPushAt = try row.decode("last_push_at")
        shown = try row.decodeJSONIfPresent("shown", as: Revision.self)
        updatedByApp = try row.decodeJSONIfPresent("updated_by_app", as: Revision.self)
        alertedIDs = try row.decodeJSON("alerted_ids")
        startedAt = try row.decode("started_at")
        dismissedAt = try row.decode("dismissed_at")
        scheduledAt = try row.decode("scheduled_at")
        failures = Failures(
            count: try row.decode("attempts"), reason: try row.decode("failed_for"),
            retryAt: try row.decode("retry_at"))
        refreshed = try row.decodeJSONIfPresent("refreshed", as: Revision.self)
        endRepeatAt = try row.decode("end_repeat_at")
        urgentArrival = try row.decode("urgent_arrival")
        attributesBytes = try row.decode("attributes_bytes")
        rejected = try row.decodeJSONIfPresent("unfit", as: RejectedContent.self)
        fencingToken = try row.decode("fence")
        updateToken = try row.decodeToken("update_token")
        isRemovedBySwitch = try row.decode("removed_by_switch")
        mustEnd = try row.decode("must_end")
        instance = try row.decode("instance")
        inFlight = try row.decodeJSONIfPresent("in_flight", as: InFlight.self)
    }
}

extension PostgresRow {
    /// The value of a `json` or `jsonb` column; nil for `NULL`.
    func decodeJSONIfPresent<Value: Decodable>(_ column: String, as type: Value.Type) throws -> Value? {
        guard try decode(column, as: String?.self) != nil else { return nil }
        return try decodeJSON(column, as: type)
    }

    /// A token with the data of its upload; a token stored without them is of production, and older than any other.
    func decodeToken(_ column: String) throws -> PushToken? {
        guard let value = try decode(column, as: String?.self) else { return nil }
        if let token = try decodeJSONIfPresent("\(column)_origin", as: PushToken.self), token.value == value {
            return token
        }
        return PushToken(value: value, observedAt: .distantPast, registeredAt: .distantPast)
    }
}
