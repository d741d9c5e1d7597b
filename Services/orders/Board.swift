import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import WireCoding

/// What operators look at: the deliveries that match, worst first, in pages that do not shift under the reader.
struct Board: Sendable {
    static let pageMax = 100
    /// Hours after its end that a delivery is listed; older ones are found by their id.
    static let endedHours = 48.0

    let pool: PostgresPool
    let clock: DomainClock

    struct Filter: Sendable {
        var status: StatusCode?
        var flag: Flag?
        var store: StoreID?
        var courier: CourierID?
        var isLate = false
        var unassigned = false
        var customer: CustomerID?
        /// The only one, for a token that is good for one.
        var delivery: DeliveryID?
        /// Whether the reader is told how likely a miss is: a figure for those who can do something about it.
        var showsMissProbability = true
    }

    /// Where a page ended: the time that the list was first asked for, and the last row's place.
    struct Cursor: RawRepresentable, Sendable {
        let place: Place

        struct Place: Codable, Sendable {
            let asOf: Date
            let severity: Int
            /// Per cent by which the promise is kept; nil in cursors from before it was known.
            let keptPercent: Int?
            let promiseEnd: Date
            let delivery: String
        }

        init(_ place: Place) { self.place = place }

        init?(rawValue: String) {
            guard let data = Data(base64Encoded: rawValue), let place = try? WireJSON.decode(Place.self, from: data)
            else {
                return nil
            }
            self.init(place)
        }

        var rawValue: String { (try? WireJSON.encode(place))?.base64EncodedString() ?? "" }
    }

    func page(_ filter: Filter, after cursor: Cursor?, limit: Int) async throws -> BoardBody {
        let asOf = cursor?.place.asOf ?? clock.now
        var conditions: SQL = "TRUE"
        if let customer = filter.customer { conditions += " AND customer_id = \(customer.rawValue)" }
        if let store = filter.store { conditions += " AND store_id = \(store.rawValue)" }
        if let courier = filter.courier { conditions += " AND courier_id = \(courier.rawValue)" }
        if let delivery = filter.delivery { conditions += " AND delivery_id = \(delivery.rawValue)" }
        let counted = conditions
        // An end is asked for by name; otherwise the board is of what is live.
        let wantsEnded = filter.status.map { if case .tail(let tail) = $0.place { tail.isEnd } else { false } } ?? false
        if wantsEnded {
            conditions += " AND ended_at > \(asOf.addingTimeInterval(-Self.endedHours * 3_600))"
        } else {
            conditions += " AND ended_at IS NULL"
        }
        if let status = filter.status {
            conditions += " AND (status = \(status.rawValue) OR courier_status = \(status.rawValue))"
        }
        if let flag = filter.flag { conditions += " AND \(flag.rawValue) = ANY(flags)" }
        if filter.isLate { conditions += " AND severity = 0" }
        if filter.unassigned { conditions += " AND courier_status = 'unassigned'" }
        if let place = cursor?.place {
            conditions += """
                 AND (severity, kept_percent, date_trunc('milliseconds', promise_end), delivery_id)
                    > (\(place.severity)::integer, \(place.keptPercent ?? 0)::integer,
                        \(place.promiseEnd)::timestamptz, \(place.delivery))
                """
        }
        let results = try await pool.batch([
            """
            SELECT count(*) AS live, count(*) FILTER (WHERE severity = 0) AS late,
                count(*) FILTER (WHERE severity = 1) AS at_risk,
                count(*) FILTER (WHERE 'courier_silent' = ANY(flags)) AS silent,
                count(*) FILTER (WHERE courier_status = 'unassigned') AS unassigned,
                count(*) FILTER (WHERE 'needs_customer' = ANY(flags)) AS waiting
            FROM \(sql: Self.graded(asOf)) WHERE ended_at IS NULL AND \(sql: counted)
            """,
            """
            SELECT snapshot, estimate, cards_count, cards_behind, cards_reason, severity, missed, kept_percent,
                promise_end, delivery_id
            FROM \(sql: Self.graded(asOf)) WHERE \(sql: conditions)
            ORDER BY severity, kept_percent, date_trunc('milliseconds', promise_end), delivery_id LIMIT \(limit + 1)
            """,
        ])
        let rows = results[1].rows
        let shown = rows.prefix(limit)
        return BoardBody(
            counts: try Self.counts(results[0].rows),
            deliveries: try shown.map { try Self.row($0, showsMissProbability: filter.showsMissProbability) },
            next: rows.count > limit ? try shown.last.flatMap { try Self.cursor(after: $0, asOf: asOf).rawValue } : nil)
    }

    /// Deliveries with how bad each is: 0 late, 1 at risk, 2 something is wrong, 3 fine, 4 ended; and how likely each
    /// misses its promise, `missed`, from nobody knows (NULL) to surely (1).
    ///
    /// Late: the promise has passed, or the estimate's point is after it. At risk: a miss is likelier than one in seven,
    /// or only the window's end is after the promise, or nobody is assigned a quarter of an hour before it.
    /// Within each, the likeliest miss comes first; of whom nobody knows counts as even.
    private static func graded(_ asOf: Date) -> SQL {
        """
        (SELECT *, 100 - round(100 * coalesce(missed, 0.5))::integer AS kept_percent, CASE
            WHEN ended_at IS NOT NULL THEN 4
            WHEN promise_end < \(asOf) OR arrives_at > promise_end THEN 0
            WHEN missed > \(atRiskProbability)::double precision
                OR (estimate->>'latest')::timestamptz > promise_end
                OR (courier_status = 'unassigned' AND promise_end < \(asOf.addingTimeInterval(15 * 60))) THEN 1
            WHEN flags && ARRAY['on_hold', 'needs_customer', 'courier_silent', 'reassigning', 'disputed']
                OR status IN ('attempted', 'returning') THEN 2
            ELSE 3 END AS severity
        FROM (SELECT *, CASE
            WHEN ended_at IS NOT NULL THEN NULL
            WHEN promise_end < \(asOf) THEN 1
            WHEN courier_id IS NOT NULL THEN miss_probability END AS missed
        FROM deliveries) AS known) AS graded
        """
    }

    /// Probability of a miss above which a delivery is at risk; below it `courier-eta` calls it on time.
    private static let atRiskProbability = 0.15

    private static func counts(_ rows: [PostgresRow]) throws -> BoardBody.Counts {
        guard let row = rows.first else {
            return .init(live: 0, late: 0, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0)
        }
        return .init(
            live: try row.decode("live"), late: try row.decode("late"), atRisk: try row.decode("at_risk"),
            silent: try row.decode("silent"), unassigned: try row.decode("unassigned"),
            waitingForCustomer: try row.decode("waiting"))
    }

    private static func row(_ row: PostgresRow, showsMissProbability: Bool) throws -> BoardBody.Row {
        let stored = try OrderRepository.stored(row)
        let risk: BoardBody.Risk =
            switch try row.decode("severity", as: Int.self) {
            case 0: .late
            case 1: .atRisk
            case 4: .ended
            default: .onTime
            }
        return .init(
            stored.delivery, risk: risk, missProbability: showsMissProbability ? try row.decode("missed") : nil,
            estimate: stored.estimate,
            cards: stored.cards.map { .init(count: $0.count, behind: $0.behind, reason: $0.reason) })
    }

    private static func cursor(after row: PostgresRow, asOf: Date) throws -> Cursor {
        Cursor(
            .init(
                asOf: asOf, severity: try row.decode("severity"), keptPercent: try row.decode("kept_percent"),
                promiseEnd: try row.decode("promise_end"),
                delivery: try row.decode("delivery_id")))
    }
}
