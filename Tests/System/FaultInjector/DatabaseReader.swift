import FaultInjection
import Foundation
import PostgresClient
import SimulationSupport

/// What only the database knows of a stack.
struct DatabaseReader: Sendable {
    let pool: PostgresPool
    /// Domain time.
    let now: Date

    private static let schemas = ServiceName.messaging.map(\.role)
    /// Domain seconds by which a timer may be late: timers are looked for from time to time.
    private static let timerSeconds = 60.0

    func wanted() async throws -> [StackSnapshot.Wanted] {
        try await pool.query(
            """
            SELECT activity_id, delivery_id, version, is_ended,
                coalesce((wanted -> 'show' ->> 'startAt')::float8, 0) AS start_at
            FROM activity_dispatch.activities
            """
        ).map { row in
            StackSnapshot.Wanted(
                activity: try row.decode("activity_id"), delivery: try row.decode("delivery_id"),
                version: try row.decode("version"), hasEnded: try row.decode("is_ended"),
                isDue: try row.decode("start_at", as: Double.self) <= now.timeIntervalSince1970)
        }
    }

    /// How many orders there are of each reference.
    func orders() async throws -> [String: Int] {
        let rows = try await pool.query("SELECT reference, count(*) AS count FROM orders.orders GROUP BY reference")
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.decode("reference"), try $0.decode("count", as: Int.self)) })
    }

    /// Times of fixes in milliseconds since 1970, by courier.
    func fixes() async throws -> [String: Set<Int>] {
        let rows = try await pool.query(
            """
            SELECT courier_id, array_agg(round(extract(epoch FROM fixed_at) * 1000)::bigint) AS times
            FROM courier_eta.fixes GROUP BY courier_id
            """)
        return Dictionary(
            uniqueKeysWithValues: try rows.map { row in
                (try row.decode("courier_id"), Set(try row.decode("times", as: [Int].self)))
            })
    }

    /// What must be worked off.
    func backlogs() async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for schema in Self.schemas {
            counts["outbox of \(schema)"] = try await count("FROM \(schema).outbox")
            counts["failing messages of \(schema)"] = try await count(
                "FROM \(schema).dead_letters WHERE state = 'failing'")
            let due = now.addingTimeInterval(-Self.timerSeconds).timeIntervalSince1970
            counts["late timers of \(schema)"] = try await count(
                "FROM \(schema).timers WHERE due_at < to_timestamp(\(due))")
        }
        // A card for which the phone has no room is not behind by a fault.
        counts["cards behind"] = try await count(
            "FROM activity_dispatch.cards WHERE behind_since IS NOT NULL AND reason IS DISTINCT FROM 'too_many_cards'")
        counts["events to send"] = try await count("FROM partners.event_deliveries WHERE state = 'waiting'")
        return counts
    }

    /// What must never be there.
    func faultCounts() async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for schema in Self.schemas {
            counts["dead letters of \(schema)"] = try await count(
                "FROM \(schema).dead_letters WHERE state <> 'failing'")
        }
        counts["events that were given up"] = try await count(
            "FROM partners.event_deliveries WHERE state = 'failed'")
        // What certainly never arrived gives its alert back.
        counts["alerts that a card had twice"] = try await count(
            """
            FROM (SELECT FROM activity_dispatch.pushes
                WHERE alert_id IS NOT NULL AND result IN ('taken', 'unknown')
                GROUP BY card_id, alert_id HAVING count(*) > 1) AS repeated
            """)
        return counts
    }

    private func count(_ rest: String) async throws -> Int {
        try await pool.query(SQL(raw: "SELECT count(*) AS count \(rest)"))[0].decode("count")
    }
}
