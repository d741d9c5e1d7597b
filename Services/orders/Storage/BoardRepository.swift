import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of the board, the list of deliveries that operators watch.
enum BoardRepository {
    /// Hours after its end that a delivery is listed, and found by the beginning of a word.
    static let endedHours = 48.0

    /// The end after which a delivery is listed.
    static func endedAfter(_ asOf: Date) -> Date { asOf.addingTimeInterval(-endedHours * 3_600) }

    struct Page: Sendable {
        let counts: BoardBody.Counts
        let rows: [Row]
        /// Whether there are rows after these.
        let hasMore: Bool
    }

    struct Row: Sendable {
        let record: DeliveryRecord
        /// ``OperatorNeed/rank(_:)`` of its need.
        let need: Int
        /// Whether there is an estimate that still means something.
        let isExpected: Bool
        /// 0 late, 1 at risk, 2 another problem, 3 fine, 4 ended.
        let severity: Int
        /// The sort key within its severity, the lowest first: live ones by minutes late, ended ones by their end.
        let place: Int
        /// Minutes after its promise that it was handed over, or is expected to be; nil where that is in time.
        let lateMinutes: Int?
        /// Probability that the promise is missed; nil where unknown.
        let missProbability: Double?
        let keptPercent: Int
        let promiseEnd: Date

        fileprivate init(_ row: PostgresRow, opening box: PersonalDataBox) throws {
            record = try OrderRepository.recordWithDropOff(row, opening: box)
            need = try row.decode("need")
            isExpected = try row.decode("is_expected")
            severity = try row.decode("severity")
            place = try row.decode("place")
            let late = try row.decode("late_minutes", as: Int?.self)
            lateMinutes = late.flatMap { $0 > 0 ? $0 : nil }
            missProbability = try row.decode("missed")
            keptPercent = try row.decode("kept_percent")
            promiseEnd = try row.decode("promise_end")
        }
    }

    /// Up to `limit` rows after a position, worst first, and the counts of everything live that the reader may see.
    static func page(
        _ filter: DeliveryFilter, after position: DeliveryPosition?, asOf: Date, limit: Int,
        opening box: PersonalDataBox, on database: some PostgresExecutor
    ) async throws -> Page {
        let scope = scopeConditions(filter)
        let found = try await DeliverySearch.sealed(
            filter.search, restrictions: filter.restrictions, scope: scope, asOf: asOf, opening: box, on: database)
        var conditions = scope + statusConditions(filter, sealed: found, asOf: asOf)
        if let position { conditions += condition(after: position) }
        let results = try await database.batch([
            """
            SELECT count(*) AS live, count(*) FILTER (WHERE severity = 0) AS late,
                count(*) FILTER (WHERE severity = 1) AS at_risk,
                count(*) FILTER (WHERE 'courier_silent' = ANY(flags)) AS silent,
                count(*) FILTER (WHERE \(sql: needsCourier(asOf))) AS unassigned,
                count(*) FILTER (WHERE 'needs_customer' = ANY(flags)) AS waiting
            FROM \(sql: ranked(asOf)) WHERE ended_at IS NULL AND \(sql: scope)
            """,
            """
            SELECT snapshot, estimate, cards_count, cards_behind, cards_reason, need, severity, place, late_minutes,
                missed, kept_percent, promise_end, delivery_id, drop_off, NULL::text AS pin,
                expected_at IS NOT NULL AS is_expected, erased_at IS NOT NULL AS is_erased
            FROM \(sql: ranked(asOf)) WHERE \(sql: conditions)
            ORDER BY need, severity, place, kept_percent, date_trunc('milliseconds', promise_end), delivery_id
            LIMIT \(limit + 1)
            """,
        ])
        let rows = results[1].rows
        return Page(
            counts: try counts(results[0].rows[0]), rows: try rows.prefix(limit).map { try Row($0, opening: box) },
            hasMore: rows.count > limit)
    }

    /// The conditions of the reader's token and the filter's ids, which restrict the counts too.
    private static func scopeConditions(_ filter: DeliveryFilter) -> SQL {
        var conditions: SQL = "TRUE"
        if let customer = filter.customer { conditions += " AND customer_id = \(customer.rawValue)" }
        if let store = filter.store { conditions += " AND store_id = \(store.rawValue)" }
        if let courier = filter.courier {
            conditions += " AND courier_id = \(courier.rawValue)"
            if filter.restrictions.courierBeforePickup { conditions += " AND " + DeliverySearch.pickedUp }
        }
        if let delivery = filter.delivery { conditions += " AND delivery_id = \(delivery.rawValue)" }
        if filter.customer != nil, filter.restrictions.customerAfterEnd { conditions += " AND ended_at IS NULL" }
        return conditions
    }

    private static func statusConditions(
        _ filter: DeliveryFilter, sealed: [DeliveryID], asOf: Date
    ) -> SQL {
        let listsEnded =
            filter.status.map { if case .tail(let tail) = $0.region { tail.isEnd } else { false } } ?? false
        var conditions: SQL = ""
        if let search = filter.search {
            let found = DeliverySearch.ids(
                search, restrictions: filter.restrictions, scope: scopeConditions(filter), sealed: sealed, asOf: asOf)
            conditions += " AND delivery_id IN (\(sql: found))"
        }
        if let reference = filter.reference {
            conditions += " AND order_id IN (\(sql: DeliverySearch.orders(reference.rawValue)))"
        }
        if let ids = filter.ids { conditions += " AND delivery_id = ANY(\(ids.map(\.rawValue))::text[])" }
        let findsEnded = filter.search != nil || filter.reference != nil || filter.ids != nil
        if listsEnded {
            conditions += " AND ended_at > \(endedAfter(asOf))"
        } else if filter.flag == .disputed || filter.hasCardsBehind, filter.status == nil {
            // A courier disputes what has ended, and a card may be behind its end.
            let isForOperators = filter.flag == .disputed && filter.showsMissProbability
            let waits: SQL = isForOperators ? " OR disputed_at IS NOT NULL" : ""
            conditions += " AND (ended_at IS NULL OR ended_at > \(endedAfter(asOf))\(sql: waits))"
        } else if !findsEnded || filter.status != nil {
            // A disputed end waits for an operator.
            conditions +=
                filter.showsMissProbability
                ? " AND (ended_at IS NULL OR disputed_at IS NOT NULL)" : " AND ended_at IS NULL"
        }
        if let status = filter.status {
            conditions += " AND (status = \(status.rawValue) OR courier_status = \(status.rawValue))"
        }
        if let flag = filter.flag { conditions += " AND \(flag.rawValue) = ANY(flags)" }
        // At risk by minutes means late by the usual time of such deliveries, unless an operator intervenes.
        if filter.isLate { conditions += " AND (severity = 0 OR severity = 1 AND late_minutes > 0)" }
        if filter.hasCardsBehind { conditions += " AND cards_behind > 0" }
        if filter.isUnassigned { conditions += " AND \(sql: needsCourier(asOf))" }
        return conditions
    }

    /// Whether a live delivery needs a courier now: picked or packed without one, or at risk by the usual time.
    private static func needsCourier(_ asOf: Date) -> SQL {
        """
        (courier_status = 'unassigned' AND ended_at IS NULL
            AND (status IN ('picking', 'staged') OR at_risk_from <= \(asOf)))
        """
    }

    private static func condition(after position: DeliveryPosition) -> SQL {
        """
         AND (need, severity, place, kept_percent, date_trunc('milliseconds', promise_end), delivery_id)
            > (\(position.need ?? OperatorNeed.rank(nil))::integer, \(position.severity)::integer, \(position.place ?? 0)::bigint, \(position.keptPercent ?? 0)::integer,
                \(position.promiseEnd)::timestamptz, \(position.delivery))
        """
    }

    /// Deliveries with their need, severity, their place in it, `expected_at`, when the estimate expects them, and
    /// `missed`, the probability that the promise is missed; both are NULL where unknown.
    ///
    /// Late: the promise has passed, or the estimate's point is after it. At risk: a miss is likelier than
    /// 15 %, or only the window's end is after the promise, or there is no estimate and the usual remaining time of
    /// such a delivery ends after it (`Delivery.usualRemainingSeconds`), or the courier could not hand it over. The
    /// lateness of a hand-over counts from the first promise, in whole minutes, as in `Punctuality`.
    ///
    /// Deliveries that need an operator come first, by need. Within a severity the most minutes late come first, then
    /// the likeliest miss; an unknown probability counts as one half, and as 0 at the door, where the delivery is in
    /// time until its promise has passed. Ended deliveries are sorted by their end, newest first.
    ///
    /// From the door on, an estimate from before it is ignored: at the door a delivery is late only once its promise
    /// has passed, and one that was handed over by the courier's word, or by a provider's report that lacks a proof,
    /// only where that was after it. A silent courier's estimate is ignored after the end of its window.
    static func ranked(_ asOf: Date) -> SQL {
        """
        (SELECT *, \(sql: need) AS need, 100 - round(100 * coalesce(
                missed, CASE WHEN status = 'at_door' THEN 0 ELSE 0.5 END))::integer AS kept_percent,
            CASE WHEN ended_at IS NULL THEN -late_minutes
                ELSE floor(extract(epoch FROM \(asOf)::timestamptz - ended_at))::bigint END AS place,
            CASE
            WHEN ended_at IS NOT NULL THEN 4
            WHEN promise_end < measured_at OR expected_at > promise_end THEN 0
            WHEN missed > \(atRiskProbability)::double precision
                OR (expected_at IS NOT NULL AND (estimate->>'latest')::timestamptz > promise_end)
                OR (expected_at IS NULL AND late_minutes > 0) OR is_after_door THEN 1
            WHEN correction_due
                OR flags && ARRAY['on_hold', 'needs_customer', 'courier_silent', 'reassigning', 'disputed'] THEN 2
            ELSE 3 END AS severity
        FROM (SELECT *, CASE
            WHEN ended_at IS NULL THEN greatest(0, ceil(extract(epoch FROM
                greatest(coalesce(expected_at, measured_at + usually_left), measured_at) - promise_end) / 60))::bigint
            WHEN status = 'delivered' THEN greatest(0, floor((floor(extract(epoch FROM ended_at))
                - floor(extract(epoch FROM (snapshot->'originalPromise'->>'end')::timestamptz))) / 60))::bigint
            END AS late_minutes
        FROM (SELECT *, CASE
            WHEN ended_at IS NOT NULL OR is_after_door THEN NULL
            WHEN promise_end < measured_at THEN 1
            WHEN courier_id IS NOT NULL AND NOT has_reached_door THEN miss_probability END AS missed,
            CASE WHEN courier_id IS NOT NULL AND NOT has_reached_door AND NOT (
                'courier_silent' = ANY(flags) AND (estimate->>'latest')::timestamptz < \(asOf)) THEN arrives_at
                END AS expected_at,
            CASE WHEN courier_status IS NULL OR claimed_at IS NOT NULL THEN interval '0'
                ELSE coalesce(promise_end - at_risk_from, interval '15 minutes') END AS usually_left
        FROM (SELECT *, status IN ('attempted', 'returning') AS is_after_door,
            status IN ('at_door', 'attempted', 'returning') OR claimed_at IS NOT NULL AS has_reached_door,
            CASE WHEN undecided_since IS NULL THEN \(asOf)::timestamptz
                ELSE coalesce(least((snapshot->'proof'->>'handedOverAt')::timestamptz, claimed_at), \(asOf))
                END AS measured_at
        FROM (SELECT *, CASE WHEN reported_at > coalesce((CASE WHEN status IN ('attempted', 'returning')
                THEN snapshot->>'statusSince' ELSE snapshot->>'steppedBackAt' END)::timestamptz, '-infinity')
            THEN reported_at END AS claimed_at
        FROM (SELECT *, CASE WHEN undecided_since IS NOT NULL THEN least(
            (snapshot->'proof'->'claim'->>'occurredAt')::timestamptz,
            (snapshot->'proof'->'claim'->>'receivedAt')::timestamptz) END AS reported_at
            FROM deliveries) AS reported) AS claimed) AS placed
        ) AS known) AS timed) AS ranked
        """
    }

    /// The rank of a row's need, by the rule and in the order of ``OperatorNeed``; a test compares the conditions.
    static let need: SQL = """
        CASE WHEN ended_at IS NOT NULL
            THEN CASE WHEN disputed_at IS NULL THEN \(raw: rank(nil)) ELSE \(raw: rank(.disputed)) END
            \(raw: liveNeeds)
            ELSE \(raw: rank(nil)) END
        """

    private static let liveNeeds = OperatorNeed.allCases.map { need in
        "WHEN \(condition(of: need)) THEN \(rank(need))"
    }.joined(separator: " ")

    private static func rank(_ need: OperatorNeed?) -> String { String(OperatorNeed.rank(need)) }

    private static func condition(of need: OperatorNeed) -> String {
        switch need {
        case .unproven: "undecided_since IS NOT NULL"
        case .attempted: "status = 'attempted'"
        case .returning: "status = 'returning'"
        case .held: "'on_hold' = ANY(flags)"
        case .correction: "correction_due"
        case .silent: "'courier_silent' = ANY(flags) AND status <> 'at_door'"
        case .unassigned: "'reassigning' = ANY(flags) OR status = 'staged' AND courier_status = 'unassigned'"
        case .disputed: "'disputed' = ANY(flags)"
        }
    }

    /// Probability of a miss above which a delivery is at risk; below it `courier-eta` reports it on time.
    private static let atRiskProbability = 0.15

    private static func counts(_ row: PostgresRow) throws -> BoardBody.Counts {
        .init(
            live: try row.decode("live"), late: try row.decode("late"), atRisk: try row.decode("at_risk"),
            silent: try row.decode("silent"), unassigned: try row.decode("unassigned"),
            waitingForCustomer: try row.decode("waiting"))
    }
}
