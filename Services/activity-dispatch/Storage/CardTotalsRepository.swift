import Foundation
import OrderDomain
import PostgresClient
import WireCoding

/// The SQL of totals: how far they are counted, their rows, and a report's share of them.
enum CardTotalsRepository {
    /// Wall seconds for which one process alone counts a span; a slower one is only repeated by another.
    static let leaseSeconds = 300
    /// Rows that one statement inserts.
    private static let rowsMax = 500

    // MARK: Progress

    /// The progress of all replicas; it begins with the oldest end.
    static func progress(at now: Date, on pool: PostgresPool) async throws -> TotalsSchedule {
        if let progress = try await stored(on: pool) { return progress }
        let oldest = try await pool.query("SELECT min(first_end) AS oldest FROM activities WHERE first_end IS NOT NULL")
            .first?.decode("oldest", as: Date?.self)
        let beginning = TotalsSchedule(startingAt: oldest ?? now)
        try await pool.execute(
            """
            INSERT INTO card_totals_progress (counted_until, final_until)
            VALUES (\(beginning.countedUntil), \(beginning.finalUntil)) ON CONFLICT DO NOTHING
            """)
        return try await stored(on: pool) ?? beginning
    }

    private static func stored(on database: some PostgresExecutor) async throws -> TotalsSchedule? {
        try await database.query("SELECT counted_until, final_until FROM card_totals_progress").first.map {
            TotalsSchedule(countedUntil: try $0.decode("counted_until"), finalUntil: try $0.decode("final_until"))
        }
    }

    /// Leases the next span to this process.
    ///
    /// - Returns: whether it is the one to count; false also where another process has gone on from this progress.
    static func lease(
        after progress: TotalsSchedule, by process: UUID, on pool: PostgresPool
    ) async throws -> Bool {
        try await pool.execute(
            """
            UPDATE card_totals_progress SET leased_by = \(process),
                leased_until = clock_timestamp() + make_interval(secs => \(leaseSeconds))
            WHERE \(sql: isAt(progress))
                AND (leased_until IS NULL OR leased_until < clock_timestamp() OR leased_by = \(process))
            """) == 1
    }

    private static func isAt(_ progress: TotalsSchedule) -> SQL {
        "counted_until = \(progress.countedUntil) AND final_until = \(progress.finalUntil)"
    }

    // MARK: Rows

    /// Replaces all rows of a span and moves the progress on, unless another process has done so already.
    ///
    /// - Returns: whether the rows are these.
    static func replace(
        _ span: TotalsSchedule.Span, with fold: CardTotalsFold, after progress: TotalsSchedule, on pool: PostgresPool
    ) async throws -> Bool {
        let rows = fold.totals.map { key, totals in
            StoredRow(
                span: span, key: key, totals: totals, store: StoreID(rawValue: key.store).flatMap { fold.stores[$0] })
        }
        let next = progress.after(span)
        return try await pool.withTransaction { transaction in
            let moved = try await transaction.execute(
                """
                UPDATE card_totals_progress SET counted_until = \(next.countedUntil), final_until = \(next.finalUntil),
                    leased_by = NULL, leased_until = NULL
                WHERE \(sql: isAt(progress))
                """)
            guard moved == 1 else { return false }
            try await transaction.execute(
                "DELETE FROM card_totals WHERE span_start >= \(span.start) AND span_start < \(span.end)")
            for start in stride(from: 0, to: rows.count, by: rowsMax) {
                try await transaction.execute(insert(Array(rows[start..<min(start + rowsMax, rows.count)])))
            }
            return true
        }
    }

    private static func insert(_ rows: [StoredRow]) -> SQL {
        """
        INSERT INTO card_totals SELECT * FROM jsonb_populate_recordset(NULL::card_totals, \(.json(rows)))
        """
    }

    /// A row as JSON with the names of the columns.
    private struct StoredRow: Encodable {
        let span: TotalsSchedule.Span
        let key: CardTotalsKey
        let totals: CardTotals
        let store: EndedActivityFacts?

        private struct Column: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.init(stringValue) }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var row = encoder.container(keyedBy: Column.self)
            let start = WireJSON.text(of: span.start)
            try row.encode(start, forKey: Column("span_start"))
            try row.encode(key.store, forKey: Column("store_id"))
            try row.encode(key.day, forKey: Column("day"))
            try row.encode(key.appVersion, forKey: Column("app_version"))
            try row.encode(key.osVersion, forKey: Column("os_version"))
            try row.encode(key.transport, forKey: Column("transport"))
            try row.encode(store?.storeName ?? key.store, forKey: Column("store_name"))
            try row.encode(store?.timeZone ?? "UTC", forKey: Column("time_zone"))
            for count in CardTotals.Count.allCases { try row.encode(totals[count], forKey: Column(count.rawValue)) }
            try row.encode(totals.startSeconds.counts, forKey: Column("start_seconds"))
            try row.encode(totals.changeSeconds.counts, forKey: Column("change_seconds"))
        }
    }

    /// The rows of stores' days with these dates, of one store or of all.
    static func rows(
        of days: [String], store: StoreID?, on database: some PostgresExecutor
    ) async throws -> [CardTotalsRow] {
        var conditions: SQL = "day = ANY(\(days)::date[])"
        if let store { conditions += " AND store_id = \(store.rawValue)" }
        return try await database.query("SELECT *, day::text AS date FROM card_totals WHERE \(sql: conditions)")
            .map(CardTotalsRow.init)
    }

    /// The sums of each store's deliveries that ended since a time.
    static func storeTotals(since: Date, on database: some PostgresExecutor) async throws -> [String: StoreTotals] {
        let sums = CardTotals.Count.allCases.map { "sum(\($0.rawValue))::bigint AS \($0.rawValue)" }
        let rows = try await database.query(
            """
            SELECT store_id, \(raw: sums.joined(separator: ", ")),
                sum((SELECT sum(bucket) FROM unnest(start_seconds) AS bucket))::bigint AS starts_shown
            FROM card_totals WHERE span_start >= \(since) GROUP BY store_id
            """)
        return try rows.reduce(into: [:]) { stores, row in
            var counts = CardTotals()
            for count in CardTotals.Count.allCases { counts[count] = try row.decode(count.rawValue) }
            stores[try row.decode("store_id")] = StoreTotals(
                counts: counts, startsShown: try row.decode("starts_shown"))
        }
    }
}

extension CardTotalsRow {
    fileprivate init(_ row: PostgresRow) throws {
        var totals = CardTotals()
        for count in CardTotals.Count.allCases { totals[count] = try row.decode(count.rawValue) }
        totals.startSeconds = DurationHistogram(counts: try row.decode("start_seconds"))
        totals.changeSeconds = DurationHistogram(counts: try row.decode("change_seconds"))
        self.init(
            key: CardTotalsKey(
                store: try row.decode("store_id"), day: try row.decode("date"),
                appVersion: try row.decode("app_version"), osVersion: try row.decode("os_version"),
                transport: try row.decode("transport")),
            storeName: try row.decode("store_name"), timeZone: try row.decode("time_zone"),
            spanStart: try row.decode("span_start"), totals: totals)
    }
}
