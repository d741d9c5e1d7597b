import Foundation
import OrderDomain
import PostgresClient

/// The SQL of the timelines of many deliveries, by time.
enum TimelineRepository {
    /// Entries that one page reads, whatever its filter leaves of them.
    static let readMax = 5_000

    /// Up to `limit` entries after a position, and the position after which there may be more; nil after the last.
    static func page(
        _ filter: TimelineFilter, after cursor: TimelineCursor?, limit: Int, opening box: PersonalDataBox,
        on database: some PostgresExecutor
    ) async throws -> (rows: [TimelineRow], next: TimelineCursor?) {
        let rows = try await database.query(statement(filter, after: cursor, limit: limit)).map {
            try row($0, opening: box)
        }
        if rows.count > limit {
            let last = rows[limit - 1]
            return (Array(rows.prefix(limit)), TimelineCursor(at: last.entry.at, entry: last.id))
        }
        let lastRead = try await database.query(
            "\(sql: readEntries(filter, after: cursor)) OFFSET \(readMax - 1) LIMIT 1"
        ).first
        let next = try lastRead.map {
            TimelineCursor(at: try $0.decode("at"), entry: try $0.decode("timeline_id"))
        }
        return (rows, next)
    }

    /// The time of a delivery's newest entry; nil without any, as after its retention.
    static func lastChange(of delivery: DeliveryID, on database: some PostgresExecutor) async throws -> Date? {
        try await database.query(
            "SELECT max(at) AS at FROM timeline WHERE delivery_id = \(delivery.rawValue)")[0].decode("at")
    }

    /// Entries with their deliveries, one more than `limit`.
    static func statement(_ filter: TimelineFilter, after cursor: TimelineCursor?, limit: Int) -> SQL {
        var conditions: SQL = "TRUE"
        if let kind = filter.kind { conditions += " AND kind = \(kind.rawValue)" }
        if filter.isWithoutNotices {
            for kind in TimelineEntry.noticeKinds { conditions += " AND kind <> \(kind)" }
            conditions += """
                 AND (kind <> \(TimelineEntry.milestoneKind) OR position(\(TimelineEntry.arrow)::text IN what) > 0)
                """
        }
        if let store = filter.store { conditions += " AND store_id = \(store.rawValue)" }
        if let courier = filter.courier { conditions += " AND courier_id = \(courier.rawValue)" }
        let sorting = direction(filter)
        return """
            SELECT timeline_id, at, entries.version, kind, what, changed_by, reason, occurred_at, source, report_id,
                is_late, is_inferred, delivery_id, store_id, courier_id, snapshot->>'reference' AS reference,
                snapshot->'bag' AS bag, snapshot->'store'->>'name' AS store_name,
                snapshot->'store'->>'timeZone' AS time_zone, snapshot->'courier'->>'name' AS courier_name,
                drop_off
            FROM (\(sql: readEntries(filter, after: cursor)) LIMIT \(readMax)) AS entries
                JOIN deliveries USING (delivery_id)
            WHERE \(sql: conditions)
            ORDER BY at \(sql: sorting), timeline_id \(sql: sorting) LIMIT \(limit + 1)
            """
    }

    /// The entries that a page reads, by their time; an index has each of its conditions.
    private static func readEntries(_ filter: TimelineFilter, after cursor: TimelineCursor?) -> SQL {
        var conditions: SQL = "TRUE"
        if let since = filter.since { conditions += " AND at >= \(since)" }
        if let delivery = filter.delivery { conditions += " AND delivery_id = \(delivery.rawValue)" }
        if let reference = filter.reference {
            conditions += """
                 AND delivery_id IN (SELECT delivery_id FROM deliveries
                    WHERE order_id IN (\(sql: DeliverySearch.orders(reference.rawValue))))
                """
        }
        if let cursor {
            let comparison: SQL = filter.order == .oldest ? ">" : "<"
            conditions += """
                 AND (at, timeline_id) \(sql: comparison)
                    (\(cursor.at)::timestamptz, \(cursor.position.entry)::bigint)
                """
        }
        let sorting = direction(filter)
        return """
            SELECT * FROM timeline WHERE \(sql: conditions)
            ORDER BY at \(sql: sorting), timeline_id \(sql: sorting)
            """
    }

    private static func direction(_ filter: TimelineFilter) -> SQL {
        switch filter.order {
        case .oldest: ""
        case .newest: "DESC"
        }
    }

    private static func row(_ row: PostgresRow, opening box: PersonalDataBox) throws -> TimelineRow {
        let delivery: DeliveryID = try row.identifier("delivery_id")
        // What cannot be opened is reported by the box.
        let dropOff = try row.decode("drop_off", as: String?.self).flatMap { try? box.dropOff(in: $0, of: delivery) }
        return TimelineRow(
            id: try row.decode("timeline_id"), delivery: delivery,
            reference: try row.decode("reference"), bag: try row.decodeJSON("bag"),
            store: try row.identifier("store_id"), storeName: try row.decode("store_name"),
            timeZone: try row.decode("time_zone"),
            courier: try row.decode("courier_id", as: String?.self).flatMap(CourierID.init(rawValue:)),
            courierName: try row.decode("courier_name"), street: dropOff?.address?.street,
            entry: try OrderRepository.timelineEntry(row))
    }
}

/// A row has an id that is none.
struct UnknownIdentifier: Error, CustomStringConvertible {
    let description: String
}

extension PostgresRow {
    /// A column with an id.
    func identifier<ID: Identifier>(_ column: String, as type: ID.Type = ID.self) throws -> ID {
        let text: String = try decode(column)
        guard let id = ID(rawValue: text) else { throw UnknownIdentifier(description: "\(column) is \(text)") }
        return id
    }
}
