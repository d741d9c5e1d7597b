import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import PostgresClient

/// The SQL of the facts that totals count: ended activities in slices, with their cards and pushes.
enum CardFactsRepository {
    /// The place of an activity among the ended ones.
    struct Position: Sendable {
        let endedAt: Date
        let activity: String
    }

    /// A slice of ended activities.
    struct Slice: Sendable {
        let activities: [EndedActivityFacts]
        /// The position of the next slice; nil on the last.
        let next: Position?
    }

    /// Activities of deliveries that ended within a span, after a position.
    ///
    /// The order is that of the first end, which no later version of it changes. So a row that is written meanwhile is
    /// read once.
    static func slice(
        of span: TotalsSchedule.Span, after position: Position?, limit: Int, on database: some PostgresExecutor
    ) async throws -> Slice {
        var conditions: SQL = "first_end >= \(span.start) AND first_end < \(span.end)"
        if let position {
            conditions += " AND (first_end, activity_id) > (\(position.endedAt)::timestamptz, \(position.activity))"
        }
        let rows = try await database.query(
            """
            SELECT activity_id, store_id, first_end, wanted -> 'ended' -> 'attributes' ->> 'store' AS store_name,
                wanted -> 'ended' -> 'attributes' ->> 'timeZone' AS time_zone
            FROM activities WHERE \(sql: conditions) ORDER BY first_end, activity_id LIMIT \(limit)
            """)
        let last = rows.count < limit ? nil : rows.last
        return Slice(
            activities: try rows.compactMap(EndedActivityFacts.init),
            next: try last.map {
                Position(endedAt: try $0.decode("first_end"), activity: try $0.decode("activity_id"))
            })
    }

    /// All cards of activities, oldest first, each with its device as that was when the card started.
    static func cards(
        of activities: [ActivityID], on database: some PostgresExecutor
    ) async throws -> [CardFacts] {
        guard !activities.isEmpty else { return [] }
        return try await database.query(
            """
            SELECT card_id, activity_id, device_id, state, started_at, cards.dismissed_at,
                instance IS NOT NULL OR shown IS NOT NULL AS is_reported, facts ->> 'app' AS app_version,
                facts ->> 'os' AS os_version, facts ->> 'transport' AS transport,
                (facts ->> 'isEnabled')::boolean AS is_enabled, facts ->> 'permission' AS permission
            FROM cards JOIN devices USING (device_id)
                CROSS JOIN LATERAL (SELECT coalesce(made_on, \(sql: ActivityRepository.deviceFacts)) AS facts) AS made
            WHERE activity_id = ANY(\(activities.map(\.rawValue)))
            ORDER BY number
            """
        ).map(CardFacts.init)
    }

    /// The place of a push among those of its slice.
    struct PushPosition: Sendable {
        let activity: String
        let push: Int
    }

    /// Pushes of activities after a position, each with its card, in the order of each activity's ledger.
    static func pushes(
        of activities: [ActivityID], after position: PushPosition?, limit: Int, on database: some PostgresExecutor
    ) async throws -> (pushes: [(card: UUID, push: LedgerPush)], next: PushPosition?) {
        guard !activities.isEmpty else { return ([], nil) }
        var conditions: SQL = "activity_id = ANY(\(activities.map(\.rawValue)))"
        if let position {
            conditions += " AND (activity_id, push_id) > (\(position.activity), \(position.push))"
        }
        let rows = try await database.query(
            """
            SELECT push_id, activity_id, card_id, event, priority, version, step, leased_at, result, seen_at, missed_at,
                wanted_at, delayed_by
            FROM pushes WHERE \(sql: conditions) ORDER BY activity_id, push_id LIMIT \(limit)
            """)
        let last = rows.count < limit ? nil : rows.last
        return (
            try rows.map { row in
                var push = try LedgerPush(row)
                push.wantedAt = try row.decode("wanted_at")
                push.delay = try row.decode("delayed_by", as: String?.self).flatMap(PushDelay.init(rawValue:))
                return (try row.decode("card_id"), push)
            },
            try last.map { PushPosition(activity: try $0.decode("activity_id"), push: try $0.decode("push_id")) }
        )
    }
}

extension EndedActivityFacts {
    /// Nil for an activity whose store no intent has named.
    fileprivate init?(_ row: PostgresRow) throws {
        guard let store = try row.decode("store_id", as: String?.self).flatMap(StoreID.init(rawValue:))
        else { return nil }
        self.init(
            id: try row.decode("activity_id"), store: store, storeName: try row.decode("store_name"),
            timeZone: try row.decode("time_zone"), endedAt: try row.decode("first_end"))
    }
}

extension CardFacts {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.decode("card_id"), activity: try row.decode("activity_id"),
            device: try row.decode("device_id"), appVersion: try row.decode("app_version"),
            osVersion: try row.decode("os_version"), transport: try row.decode("transport"),
            permission: Device.Permission(
                isEnabled: try row.decode("is_enabled"),
                reported: try row.decode("permission", as: String?.self).flatMap(ActivitiesPermission.init(rawValue:))),
            state: try row.decode("state"), startedAt: try row.decode("started_at"),
            dismissedAt: try row.decode("dismissed_at"), isReported: try row.decode("is_reported"))
    }
}
