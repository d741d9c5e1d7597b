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
        /// The activities of deliveries that ended within the span.
        let activities: [EndedActivityFacts]
        /// The position of the next slice; nil on the last.
        let next: Position?
    }

    /// Ended activities after a position, in the order in which this service received their ends.
    ///
    /// An end may arrive later than the delivery ended, and a later version of it arrives again. So the slices of a span
    /// go on to the time at which a day is counted for good, and each activity is in the span of its delivery's end.
    static func slice(
        of span: TotalsSchedule.Span, after position: Position?, limit: Int, on database: some PostgresExecutor
    ) async throws -> Slice {
        let from = span.start.addingTimeInterval(-Limits.clockDifferenceMax)
        let until = span.end.addingTimeInterval(TotalsSchedule.dayIsDueAfter)
        var conditions: SQL = "is_ended AND ended_at >= \(from) AND ended_at < \(until)"
        if let position {
            conditions += " AND (ended_at, activity_id) > (\(position.endedAt)::timestamptz, \(position.activity))"
        }
        let rows = try await database.query(
            """
            SELECT activity_id, delivery_id, store_id, ended_at, (wanted -> 'ended' ->> 'endedAt')::bigint AS end_seconds,
                wanted -> 'ended' -> 'attributes' ->> 'store' AS store_name,
                wanted -> 'ended' -> 'attributes' ->> 'timeZone' AS time_zone
            FROM activities WHERE \(sql: conditions) ORDER BY ended_at, activity_id LIMIT \(limit)
            """)
        let last = rows.count < limit ? nil : rows.last
        return Slice(
            activities: try rows.compactMap(EndedActivityFacts.init).filter { span.contains($0.endedAt) },
            next: try last.map {
                Position(endedAt: try $0.decode("ended_at"), activity: try $0.decode("activity_id"))
            })
    }

    /// All cards of activities, oldest first.
    static func cards(
        of activities: [ActivityID], on database: some PostgresExecutor
    ) async throws -> [CardFacts] {
        guard !activities.isEmpty else { return [] }
        return try await database.query(
            """
            SELECT card_id, activity_id, device_id, state, started_at, cards.dismissed_at, app_version, os_version,
                transport, is_enabled, permission
            FROM cards JOIN devices USING (device_id) WHERE activity_id = ANY(\(activities.map(\.rawValue)))
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
    /// Nil for a summary, and for an activity whose store no intent has named.
    fileprivate init?(_ row: PostgresRow) throws {
        guard try row.decode("delivery_id", as: String?.self) != nil,
            let store = try row.decode("store_id", as: String?.self).flatMap(StoreID.init(rawValue:))
        else { return nil }
        self.init(
            id: try row.decode("activity_id"), store: store, storeName: try row.decode("store_name"),
            timeZone: try row.decode("time_zone"),
            endedAt: Date(timeIntervalSince1970: TimeInterval(try row.decode("end_seconds", as: Int.self))))
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
            dismissedAt: try row.decode("dismissed_at"))
    }
}
