import Foundation
import LiveActivity
import Messages
import OrderDomain
public import PostgresClient
import WireCoding

extension ActivityID: PostgresBindable, PostgresDecodable {}
extension CustomerID: PostgresBindable, PostgresDecodable {}
extension DeliveryID: PostgresBindable, PostgresDecodable {}
extension StoreID: PostgresBindable, PostgresDecodable {}
extension DeviceID: PostgresBindable, PostgresDecodable {}
extension Card.State: PostgresBindable, PostgresDecodable {}
extension Device.Transport: PostgresBindable, PostgresDecodable {}

/// The SQL of customers, wanted states, devices, cards and the ledger of pushes.
///
/// All transactions lock in one order: a customer, then devices by id, then cards' health by delivery.
/// They lock with `FOR NO KEY UPDATE`: a second update of a row in one transaction makes Postgres check the row's foreign
/// keys, and that check of a customer waits for `FOR UPDATE`, against the order.
enum ActivityRepository {
    /// Locks a row that is there already, so that retention cannot delete it before it is read.
    private static let locking: SQL =
        "ON CONFLICT (customer_id) DO UPDATE SET summary_episode = excluded.summary_episode WHERE false"

    /// Locks a customer, after inserting a new one, so that changes of their activities and devices are sequential.
    ///
    /// - Returns: how many summaries they have had.
    static func lockCustomer(_ customer: CustomerID, in transaction: PostgresTransaction) async throws -> Int {
        let results = try await transaction.batch([
            "INSERT INTO customers (customer_id) VALUES (\(customer)) \(sql: locking)",
            "SELECT summary_episode FROM customers WHERE customer_id = \(customer) FOR NO KEY UPDATE",
        ])
        return try results[1].rows.first?.decode("summary_episode") ?? 0
    }

    /// Locks customers, inserted where new, upserts the wanted states that are newer than the stored ones, and ends the
    /// former episodes of their deliveries.
    ///
    /// - Returns: the changes, and all live activities, by customer.
    static func upsertWanted(
        _ activities: [Activity], at now: Date, in transaction: PostgresTransaction
    ) async throws -> [WantedChange] {
        let activities = try await owned(activities, in: transaction)
        // In one order, so that two transactions that lock the same customers never deadlock.
        let customers = Set(activities.map(\.customer.rawValue)).sorted()
        let deliveries = Set(activities.compactMap(\.delivery?.rawValue)).sorted()
        let head: [SQL] = [
            // A late intent of an erased delivery, whose activity has another customer, brings its own back neither.
            """
            INSERT INTO customers (customer_id) SELECT DISTINCT customer_id
            FROM unnest(\(activities.map(\.customer.rawValue))::text[], \(activities.map(\.id.rawValue))::text[])
                AS new (customer_id, activity_id)
            WHERE NOT EXISTS (SELECT FROM activities AS known
                WHERE known.activity_id = new.activity_id AND known.customer_id <> new.customer_id)
            ORDER BY customer_id \(sql: locking)
            """,
            """
            SELECT customer_id, summary_episode FROM customers WHERE customer_id = ANY(\(customers))
            ORDER BY customer_id FOR NO KEY UPDATE
            """,
        ]
        let results = try await transaction.batch(
            head + [
                upsert(activities, at: now),
                """
                SELECT * FROM activities WHERE customer_id = ANY(\(customers)) AND NOT is_ended ORDER BY activity_id
                """,
                """
                SELECT customer_id, delivery_id, activity_id FROM activities
                WHERE delivery_id = ANY(\(deliveries)) AND customer_id = ANY(\(customers))
                """,
            ])
        // An activity of another customer is not written.
        let written = Dictionary(
            uniqueKeysWithValues: try results[head.count].rows.map {
                (try $0.decode("activity_id", as: ActivityID.self), try $0.decode("customer_id", as: CustomerID.self))
            })
        let own = activities.filter { written[$0.id] == $0.customer }
        let changed = Dictionary(grouping: own, by: \.customer)
        let wanted = Dictionary(uniqueKeysWithValues: own.map { ($0.id, $0.wanted) })
        let live = Dictionary(
            grouping: try results[results.count - 2].rows.map { row in
                try Activity(row, wanted: wanted[row.decode("activity_id")])
            }, by: \.customer)
        var newest: [CustomerID: NewestEpisodes] = [:]
        for row in results[results.count - 1].rows {
            newest[try row.decode("customer_id"), default: NewestEpisodes()]
                .insert(try row.decode("activity_id"), of: try row.decode("delivery_id"))
        }
        for activity in activities { newest[activity.customer]?.note(activity) }
        let former = try await endedActivities(of: newest.values.flatMap(\.reopened), in: transaction)
        var changes: [WantedChange] = []
        for row in results[1].rows {
            let customer = try row.decode("customer_id", as: CustomerID.self)
            let liveOnes = live[customer] ?? []
            let own = liveOnes + former.filter { $0.customer == customer }
            let ended = newest[customer]?.endsOfFormer(among: own, at: now) ?? []
            if !ended.isEmpty { try await transaction.execute(upsert(ended, at: now)) }
            let ids = Set((changed[customer] ?? []).map(\.id) + ended.map(\.id)).sorted()
            guard !ids.isEmpty else { continue }
            let endedIDs = Set(ended.map(\.id))
            changes.append(
                WantedChange(
                    customer: customer, episode: try row.decode("summary_episode"), changed: ids,
                    live: liveOnes.filter { !endedIDs.contains($0.id) }))
        }
        return changes
    }

    /// The ended activities of reopened deliveries; no statement without such a delivery.
    private static func endedActivities(
        of deliveries: [DeliveryID], in transaction: PostgresTransaction
    ) async throws -> [Activity] {
        guard !deliveries.isEmpty else { return [] }
        return try await transaction.query(
            """
            SELECT * FROM activities WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[]) AND is_ended
            """
        ).map { try StoredActivity($0).activity }
    }

    /// A locked customer whose activities' wanted states have changed.
    struct WantedChange: Sendable {
        let customer: CustomerID
        /// The number of the customer's summaries so far.
        let episode: Int
        private(set) var changed: [ActivityID]
        /// Their summary included.
        private(set) var live: [Activity]

        /// The changed and live activities.
        var liveChanged: [Activity] { live.filter { changed.contains($0.id) } }

        /// Adds another activity of the customer that changed.
        mutating func add(_ activity: Activity) {
            changed.append(activity.id)
            live.removeAll { $0.id == activity.id }
            live.append(activity)
        }
    }

    static func setSummaryEpisode(_ episode: Int, of customer: CustomerID) -> SQL {
        "UPDATE customers SET summary_episode = \(episode) WHERE customer_id = \(customer)"
    }

    /// The activities, of which one with two customers is only that of the customer who has it.
    ///
    /// One statement cannot update a row twice.
    private static func owned(
        _ activities: [Activity], in transaction: PostgresTransaction
    ) async throws -> [Activity] {
        // Nearly no batch has one.
        guard Set(activities.map(\.id)).count < activities.count else { return activities }
        let twice = Set(Dictionary(grouping: activities, by: \.id).filter { $1.count > 1 }.keys)
        var owners: [ActivityID: CustomerID] = [:]
        for row in try await transaction.query(
            "SELECT activity_id, customer_id FROM activities WHERE activity_id = ANY(\(twice.map(\.rawValue)))")
        {
            owners[try row.decode("activity_id")] = try row.decode("customer_id", as: CustomerID.self)
        }
        return activities.filter { activity in
            guard twice.contains(activity.id) else { return true }
            let owner = owners[activity.id] ?? activity.customer
            owners[activity.id] = owner
            return owner == activity.customer
        }
    }

    /// Writes wanted states, each unless the stored state is as new by (ended, version, step), and returns the written
    /// ids.
    ///
    /// A later stale date of the same state is written only shortly before the stored date, and only where the customer
    /// has a card that waits or is on a screen: invisible cards are not prolonged. A row without a store, from before
    /// intents had one, gets the store of the next intent. A delivery's first end stays, whatever later versions state.
    static func upsert(_ activities: [Activity], at now: Date) -> SQL {
        """
        INSERT INTO activities AS known
            (activity_id, customer_id, delivery_id, store_id, wanted, is_ended, version, step, traceparent,
            first_end, wanted_at)
        SELECT *, \(now) FROM unnest(\(sql: columns(of: activities)),
            \(PostgresNullableArray(activities.map(\.traceparent)))::text[],
            \(PostgresNullableArray(activities.map(\.deliveryEndedAt)))::timestamptz[])
        ON CONFLICT (activity_id) DO UPDATE SET wanted = excluded.wanted, is_ended = excluded.is_ended,
            version = excluded.version, step = excluded.step, wanted_at = excluded.wanted_at,
            store_id = coalesce(excluded.store_id, known.store_id), traceparent = excluded.traceparent,
            first_end = coalesce(known.first_end, excluded.first_end)
        WHERE ((excluded.is_ended, excluded.version, excluded.step) > (known.is_ended, known.version, known.step)
                OR (excluded.is_ended, excluded.version, excluded.step)
                    = (known.is_ended, known.version, known.step)
                    AND (excluded.store_id IS NOT NULL AND known.store_id IS NULL OR \(sql: isProlonged(by: now))))
            AND excluded.customer_id = known.customer_id
        RETURNING activity_id, customer_id
        """
    }

    /// The values of activities for `unnest`: id, customer, delivery, store, wanted state, whether it is an end, version
    /// and step.
    static func columns(of activities: [Activity]) -> SQL {
        let revisions = activities.map(\.wanted.content.revision)
        return """
            \(activities.map(\.id.rawValue))::text[], \(activities.map(\.customer.rawValue))::text[],
            \(PostgresNullableArray(activities.map(\.delivery)))::text[],
            \(PostgresNullableArray(activities.map(\.store)))::text[],
            \(PostgresJSONArray(activities.map(\.wanted))),
            \(PostgresNullableArray(activities.map(\.isEnded)))::boolean[],
            \(revisions.map(\.version)), \(revisions.map(\.step))
            """
    }

    /// Whether the state that is inserted prolongs the stored one of the same revision.
    private static func isProlonged(by now: Date) -> SQL {
        """
        (excluded.wanted -> 'show' ->> 'staleAt')::bigint > (known.wanted -> 'show' ->> 'staleAt')::bigint
            AND \(sql: isProlongable(by: now))
        """
    }

    /// Whether the stored state, `known`, goes stale soon and is on a screen, or is to be.
    static func isProlongable(by now: Date) -> SQL {
        """
        NOT known.is_ended
            AND (known.wanted -> 'show' ->> 'staleAt')::bigint <= \(now.epochSeconds + Activity.prolongedWithin)
            AND EXISTS (
                SELECT FROM devices JOIN cards USING (device_id)
                WHERE devices.customer_id = known.customer_id AND state IN ('waiting', 'starting', 'active'))
        """
    }

    static func activity(_ id: ActivityID, on executor: some PostgresExecutor) async throws -> StoredActivity? {
        try await executor.query("SELECT * FROM activities WHERE activity_id = \(id)").first.map(StoredActivity.init)
    }

    static func activities(
        _ ids: [ActivityID], in transaction: PostgresTransaction
    ) async throws -> [ActivityID: Activity] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await transaction.query(
            "SELECT * FROM activities WHERE activity_id = ANY(\(ids.map(\.rawValue)))")
        return Dictionary(uniqueKeysWithValues: try rows.map { try Activity($0) }.map { ($0.id, $0) })
    }

    static func activities(of delivery: DeliveryID, on executor: some PostgresExecutor) async throws -> [StoredActivity]
    {
        try await executor.query(
            "SELECT * FROM activities WHERE delivery_id = \(delivery) ORDER BY wanted_at DESC, activity_id DESC LIMIT 20"
        ).map(StoredActivity.init)
    }

    /// A customer's live activities, their summary included.
    static func live(of customer: CustomerID, on executor: some PostgresExecutor) async throws -> [Activity] {
        try await executor.query(
            "SELECT * FROM activities WHERE customer_id = \(customer) AND NOT is_ended ORDER BY activity_id"
        ).map { try StoredActivity($0).activity }
    }

    /// The activity of each delivery's newest episode; an undecodable row is omitted without affecting others.
    static func newest(
        of deliveries: [DeliveryID], on executor: some PostgresExecutor
    ) async throws -> [DeliveryID: StoredActivity] {
        let rows = try await executor.query(
            "SELECT * FROM activities WHERE delivery_id = ANY(\(deliveries.map(\.rawValue)))")
        var newest: [DeliveryID: StoredActivity] = [:]
        // An undecodable row hides its delivery alone; the dispatcher logs the row when it reconciles its devices.
        for stored in rows.compactMap({ try? StoredActivity($0) }) {
            guard let delivery = stored.activity.delivery else { continue }
            if stored.episode >= newest[delivery]?.episode ?? 0 { newest[delivery] = stored }
        }
        return newest
    }

    /// An activity and when its wanted state last changed.
    struct StoredActivity: Sendable {
        let activity: Activity
        let wantedAt: Date

        /// The activity's episode of its delivery; 0 on a summary.
        var episode: Int { activity.delivery.flatMap { activity.id.episode(of: $0) } ?? 0 }

        init(_ row: PostgresRow) throws {
            activity = try Activity(row)
            wantedAt = try row.decode("wanted_at")
        }
    }
}

extension Activity {
    /// - Parameter wanted: the row's wanted state where this transaction wrote it; nil decodes it.
    init(_ row: PostgresRow, wanted: ActivityStep? = nil) throws {
        self.init(
            id: try row.decode("activity_id"), customer: try row.decode("customer_id"),
            delivery: try row.decode("delivery_id"), store: try row.decode("store_id"),
            wanted: try wanted ?? row.decodeJSON("wanted"), traceparent: try row.decode("traceparent"),
            wantedAt: try row.decode("wanted_at"))
    }
}
