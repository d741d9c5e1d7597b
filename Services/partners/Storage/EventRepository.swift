import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of events, their deliveries to endpoints, and the answers.
enum EventRepository {
    // MARK: Adding

    /// Adds events, each once, and queues them for every recipient.
    ///
    /// - Parameter recipients: endpoints by event, each pair once.
    static func insert(
        _ events: [DeliveryEvent], for recipients: [(event: EventID, endpoint: EndpointID)], at now: Date
    ) -> [SQL] {
        guard !events.isEmpty else { return [] }
        let insertion: SQL = """
            INSERT INTO events (event_id, type, delivery_id, store_id, version, occurred_at, body, is_test)
            SELECT event_id, type, delivery_id, store_id, version, occurred_at, body, is_test::boolean
            FROM unnest(\(events.map(\.id.rawValue))::text[], \(events.map(\.type.rawValue))::text[],
                \(events.map(\.delivery.rawValue))::text[], \(events.map(\.store.rawValue))::text[],
                \(events.map(\.version)), \(PostgresNullableArray(events.map { Optional($0.occurredAt) }))::timestamptz[],
                \(PostgresBytesArray(events.map { [UInt8]($0.body) })),
                \(events.map { $0.isTest ? "true" : "false" })::text[])
                AS new (event_id, type, delivery_id, store_id, version, occurred_at, body, is_test)
            ORDER BY event_id ON CONFLICT (event_id) DO NOTHING
            """
        return [insertion, queue(recipients, at: now, isReplay: false)]
    }

    private static func queue(
        _ recipients: [(event: EventID, endpoint: EndpointID)], at now: Date, isReplay: Bool
    ) -> SQL {
        """
        INSERT INTO event_deliveries (endpoint_id, event_id, is_replay, due_at, created_at)
        SELECT endpoints.endpoint_id, new.event_id, \(isReplay), \(now), \(now)
        FROM unnest(\(recipients.map(\.endpoint.rawValue))::text[], \(recipients.map(\.event.rawValue))::text[])
            WITH ORDINALITY AS new (endpoint_id, event_id, place)
        JOIN endpoints ON endpoints.endpoint_id = new.endpoint_id
        ORDER BY new.place ON CONFLICT (endpoint_id, event_id) WHERE NOT is_replay DO NOTHING
        """
    }

    /// Queues one event for an endpoint once more; false where there is no such event, or not for this endpoint's store.
    static func replay(
        _ event: EventID, to endpoint: Endpoint, at now: Date, on database: some PostgresExecutor
    ) async throws -> Bool {
        let chosen: SQL = """
            event_id = \(event.rawValue)
            AND (\(endpoint.store?.rawValue)::text IS NULL OR store_id = \(endpoint.store?.rawValue))
            """
        return try await replay(chosen, to: endpoint, at: now, on: database) > 0
    }

    /// Queues the chosen events once more, the oldest first, but for those that wait for that already: a repeat of the
    /// request adds none.
    ///
    /// - Returns: the number of the chosen ones.
    private static func replay(
        _ chosen: SQL, to endpoint: Endpoint, at now: Date, on database: some PostgresExecutor
    ) async throws -> Int {
        try await database.query(
            """
            WITH chosen AS MATERIALIZED (SELECT event_id, occurred_at FROM events WHERE \(sql: chosen)),
            queued AS (
                INSERT INTO event_deliveries (endpoint_id, event_id, is_replay, due_at, created_at)
                SELECT \(endpoint.id.rawValue), event_id, true, \(now), \(now) FROM chosen
                WHERE NOT EXISTS (
                    SELECT FROM event_deliveries AS waiting
                    WHERE waiting.endpoint_id = \(endpoint.id.rawValue) AND waiting.event_id = chosen.event_id
                        AND waiting.is_replay AND waiting.state = 'waiting')
                ORDER BY occurred_at, event_id)
            SELECT count(*) AS count FROM chosen
            """
        )[0].decode("count")
    }

    /// The number of a period's events that match an endpoint's subscription, up to `max` + 1.
    static func count(
        from: Date, to: Date, for endpoint: Endpoint, max: Int, on database: some PostgresExecutor
    ) async throws -> Int {
        try await database.query(
            """
            SELECT count(*) AS count FROM (
                SELECT 1 FROM events WHERE \(sql: accepted(by: endpoint, from: from, to: to)) LIMIT \(max + 1)) AS found
            """
        )[0].decode("count")
    }

    /// Queues the events of a time for an endpoint once more, oldest first.
    static func replay(
        from: Date, to: Date, to endpoint: Endpoint, at now: Date, on database: some PostgresExecutor
    ) async throws -> Int {
        try await replay(accepted(by: endpoint, from: from, to: to), to: endpoint, at: now, on: database)
    }

    private static func accepted(by endpoint: Endpoint, from: Date, to: Date) -> SQL {
        let types = endpoint.types.map(\.rawValue)
        return """
            occurred_at >= \(from) AND occurred_at < \(to) AND NOT is_test
            AND (\(endpoint.store?.rawValue)::text IS NULL OR store_id = \(endpoint.store?.rawValue))
            AND (\(types.isEmpty) OR type = ANY(\(types)::text[]))
            """
    }

    // MARK: Sending

    /// A leased event for an endpoint; the lease's token proves its holder.
    struct Leased: Hashable, Sendable {
        let id: Int
        let lease: UUID
        let endpoint: EndpointID
        let event: EventID
        let body: Data
        let isReplay: Bool
        let attempts: Int

        var queue: SenderCapacity.LeaseQuota.Queue { .init(endpoint: endpoint, isReplay: isReplay) }
    }

    /// Leases due events, each endpoint's longest-due first.
    ///
    /// Shares alternate, and so do the endpoints of a share; the fewest leased events come first. The result is in the
    /// order in which its events should begin.
    ///
    /// Each chosen row is locked by its address. A join of the chosen rows with all waiting rows could read the whole
    /// queue: by the statistics of a quiet hour, the planner expects few waiting rows.
    /// - Parameter capacity: what this process has leased.
    static func lease(
        _ quotas: [SenderCapacity.LeaseQuota], within capacity: SenderCapacity, at now: Date,
        for duration: Duration, by lease: UUID, on database: some PostgresExecutor
    ) async throws -> [Leased] {
        guard !quotas.isEmpty else { return [] }
        let limits = capacity.limits
        let free = limits.total - limits.kept - capacity.inFlight
        let ahead = limits.prefetched - capacity.prefetched
        return try await database.query(
            """
            WITH by_endpoint AS (
                SELECT quota.endpoint_id, store_id, is_quick, share_leased, share_max, turn, next.row,
                    quota.leased + row_number() OVER (
                        PARTITION BY quota.endpoint_id ORDER BY turn, due_at, event_delivery_id) AS endpoint_load
                FROM unnest(\(quotas.map(\.queue.endpoint.rawValue))::text[],
                    \(quotas.map { "\($0.queue.isReplay)" })::text[], \(quotas.map(\.rows)),
                    \(PostgresNullableArray(quotas.map { $0.share.store?.rawValue }))::text[],
                    \(quotas.map { "\($0.share.isQuick)" })::text[], \(quotas.map(\.shareMax)),
                    \(quotas.map(\.leased)), \(quotas.map(\.shareLeased))) WITH ORDINALITY AS quota (
                        endpoint_id, is_replay, rows, store_id, is_quick, share_max, leased, share_leased, turn)
                CROSS JOIN LATERAL (
                    SELECT ctid AS row, event_delivery_id, due_at FROM event_deliveries
                    WHERE event_deliveries.endpoint_id = quota.endpoint_id
                        AND event_deliveries.is_replay = quota.is_replay::boolean
                        AND state = 'waiting' AND due_at <= \(now) AND leased_until <= clock_timestamp()
                    ORDER BY due_at, event_delivery_id LIMIT quota.rows
                ) AS next
            ), by_share AS (
                SELECT *, share_leased
                    + row_number() OVER (PARTITION BY store_id, is_quick ORDER BY endpoint_load, turn) AS share_load
                FROM by_endpoint
            ), in_turn AS (
                SELECT *, row_number() OVER (ORDER BY share_load, endpoint_load, turn) AS place FROM by_share
                WHERE share_load <= share_max
            ), chosen AS (
                SELECT row, place FROM in_turn
                WHERE place <= \(free) + CASE WHEN is_quick::boolean THEN \(ahead) ELSE 0 END
                    OR (share_load <= \(limits.keptPerShare) AND endpoint_load = 1)
                ORDER BY place LIMIT \(max(limits.total - capacity.inFlight + ahead, 0))
            ), due AS MATERIALIZED (
                SELECT next.row, place FROM chosen CROSS JOIN LATERAL (
                    SELECT ctid AS row FROM event_deliveries
                    WHERE ctid = chosen.row AND state = 'waiting' AND leased_until <= clock_timestamp()
                    FOR NO KEY UPDATE SKIP LOCKED) AS next
            ), leased AS (
                UPDATE event_deliveries SET lease = \(lease),
                    leased_until = clock_timestamp() + make_interval(secs => \(duration / .seconds(1)))
                FROM due WHERE event_deliveries.ctid = due.row
                RETURNING event_deliveries.*, place
            )
            SELECT event_delivery_id, leased.endpoint_id, leased.event_id, is_replay, attempts, body
            FROM leased JOIN events ON events.event_id = leased.event_id ORDER BY place
            """
        ).compactMap { row in
            guard let endpoint = EndpointID(rawValue: try row.decode("endpoint_id")),
                let event = EventID(rawValue: try row.decode("event_id"))
            else { return nil }
            return Leased(
                id: try row.decode("event_delivery_id"), lease: lease, endpoint: endpoint, event: event,
                body: Data(try row.decode("body", as: [UInt8].self)), isReplay: try row.decode("is_replay"),
                attempts: try row.decode("attempts"))
        }
    }

    /// The outcome of a leased event.
    struct Settled: Sendable {
        let leased: Leased
        let state: EventDeliveryBody.State
        /// When it is tried again; of no meaning for one that is not.
        let dueAt: Date
        let attempt: AttemptBody
    }

    /// Writes the results of leased events, unless another lease has replaced theirs, and logs every attempt.
    ///
    /// An attempt whose event was erased meanwhile is not logged, and one about a delivery whose courier is erased
    /// without the answer, since it may repeat what was sent before.
    static func settle(_ settled: [Settled]) -> [SQL] {
        guard !settled.isEmpty else { return [] }
        let settled = settled.sorted { $0.leased.id < $1.leased.id }
        let attempts = settled.map(\.attempt)
        return [
            """
            UPDATE event_deliveries SET state = new.state, attempts = event_deliveries.attempts + 1, due_at = new.due_at,
                last_status = new.status, last_error = new.error, lease = NULL, leased_until = '-infinity'
            FROM unnest(\(settled.map(\.leased.endpoint.rawValue))::text[], \(settled.map(\.leased.id)),
                \(settled.map(\.leased.lease)),
                \(settled.map(\.state.rawValue))::text[],
                \(PostgresNullableArray(settled.map { Optional($0.dueAt) }))::timestamptz[],
                \(PostgresNullableArray(attempts.map { $0.status.map(String.init) }))::text[]::integer[],
                \(PostgresNullableArray(attempts.map(\.error)))::text[])
                AS new (endpoint_id, id, lease, state, due_at, status, error)
            WHERE event_deliveries.endpoint_id = new.endpoint_id AND event_deliveries.event_delivery_id = new.id
                AND event_deliveries.lease = new.lease
            """,
            """
            INSERT INTO attempts (endpoint_id, event_id, at, milliseconds, status, error, answer)
            SELECT endpoints.endpoint_id, new.event_id, new.at, new.milliseconds, new.status, new.error,
                CASE WHEN deliveries.courier_erased_at IS NULL THEN new.answer END
            FROM unnest(\(settled.map(\.leased.endpoint.rawValue))::text[],
                \(settled.map(\.leased.event.rawValue))::text[],
                \(PostgresNullableArray(attempts.map { Optional($0.at) }))::timestamptz[],
                \(attempts.map(\.milliseconds)),
                \(PostgresNullableArray(attempts.map { $0.status.map(String.init) }))::text[]::integer[],
                \(PostgresNullableArray(attempts.map(\.error)))::text[],
                \(PostgresNullableArray(attempts.map(\.answer)))::text[])
                AS new (endpoint_id, event_id, at, milliseconds, status, error, answer)
            JOIN endpoints ON endpoints.endpoint_id = new.endpoint_id
            JOIN events ON events.event_id = new.event_id
            LEFT JOIN deliveries ON deliveries.delivery_id = events.delivery_id
            """,
        ]
    }

    /// Makes an endpoint's waiting events due, since it accepts events again.
    ///
    /// - Parameter failing: its health until now; nil where no earlier attempt counts. An event that has failed before
    ///   these failures was refused while others were accepted, and keeps its schedule: otherwise each success of another
    ///   would cost it an attempt.
    static func makeDue(for endpoint: EndpointID, after failing: EndpointHealth? = nil, at now: Date) -> SQL {
        """
        UPDATE event_deliveries SET due_at = \(now)
        WHERE endpoint_id = \(endpoint.rawValue) AND NOT is_replay AND state = 'waiting' AND due_at > \(now)
            AND NOT EXISTS (
                SELECT FROM attempts
                WHERE attempts.endpoint_id = event_deliveries.endpoint_id
                    AND attempts.event_id = event_deliveries.event_id AND attempts.at < \(failing?.failingSince)::timestamptz
                    AND (\(failing?.countsFrom)::timestamptz IS NULL OR attempts.at >= \(failing?.countsFrom)::timestamptz))
        """
    }

    /// Releases leased and unsent events.
    static func release(_ leased: [Leased], on database: some PostgresExecutor) async throws {
        guard !leased.isEmpty else { return }
        try await database.execute(
            """
            UPDATE event_deliveries SET lease = NULL, leased_until = '-infinity'
            FROM unnest(\(leased.map(\.endpoint.rawValue))::text[], \(leased.map(\.id)), \(leased.map(\.lease)))
                AS mine (endpoint_id, id, lease)
            WHERE event_deliveries.endpoint_id = mine.endpoint_id AND event_deliveries.event_delivery_id = mine.id AND event_deliveries.lease = mine.lease
            """)
    }

    // MARK: Metrics and retention

    /// The due time of the oldest event that waits for an enabled webhook; nil without one.
    static func oldestDueAt(on database: some PostgresExecutor) async throws -> Date? {
        try await database.query(
            """
            SELECT min(next.due_at) AS due_at FROM endpoints CROSS JOIN LATERAL (
                SELECT due_at FROM event_deliveries WHERE event_deliveries.endpoint_id = endpoints.endpoint_id
                    AND NOT is_replay AND state = 'waiting' ORDER BY due_at LIMIT 1) AS next
            WHERE kind = 'webhook' AND disabled IS NULL AND failing_since IS NULL AND removed_at IS NULL
            """
        )[0].decode("due_at")
    }

    /// Deletes old queue rows, whatever their result, and events two days later, so that no row of a first delivery lacks
    /// its event; that of a replay may outlive it.
    static func delete(before: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        let eventsBefore = before.addingTimeInterval(-2 * 86_400)
        var total = 0
        for (table, areOld) in [
            ("attempts", "at < \(before)"), ("event_deliveries", "created_at < \(before)"),
            ("events", "occurred_at < \(eventsBefore)"),
        ] as [(SQL, SQL)] {
            total += try await pool.delete(from: table, where: areOld, inBatchesOf: rowsMax)
        }
        return total
    }

    /// Deletes the rows of removed endpoints, and then the endpoints.
    static func deleteRemovedEndpoints(rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        let removed: SQL = "endpoint_id IN (SELECT endpoint_id FROM endpoints WHERE removed_at IS NOT NULL)"
        var total = 0
        for table: SQL in ["attempts", "event_deliveries"] {
            total += try await pool.delete(from: table, where: removed, inBatchesOf: rowsMax)
        }
        return total + (try await pool.execute("DELETE FROM endpoints WHERE removed_at IS NOT NULL"))
    }
}
