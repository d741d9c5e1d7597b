import Foundation
import OrderDomain
import PostgresClient

/// The SQL that seals readable rows, and rows that are sealed with a former key, page by page in the order of their
/// ids.
///
/// A row that is locked is left to the next pass; a page never waits for a change, and never changes a version.
enum SealingRepository {
    /// Rows of a transaction, whether they are to be sealed or not.
    static let pageMax = 1_000

    /// The rows of one page that were to be sealed.
    struct Page: Sendable {
        /// The last id of the page; nil after the last page.
        var end: String?
        var sealed = 0
        /// Rows that cannot be opened, or are no drop-off.
        var left = 0
    }

    /// The rows with couriers' numbers.
    enum Numbers: CaseIterable, Sendable {
        case couriers, storeCouriers, deliveries

        fileprivate var table: SQL {
            switch self {
            case .couriers: "couriers"
            case .storeCouriers: "store_couriers"
            case .deliveries: "deliveries"
            }
        }

        /// Identifies a row and sorts.
        fileprivate var id: SQL {
            switch self {
            case .couriers: "courier_id"
            case .storeCouriers: "store_id || '/' || courier_id"
            case .deliveries: "delivery_id"
            }
        }

        /// Where the courier is in the row's snapshot.
        fileprivate var path: SQL {
            switch self {
            case .couriers, .storeCouriers: "'{}'"
            case .deliveries: "'{courier}'"
            }
        }
    }

    /// Seals the drop-offs of a page with the present key.
    static func sealDropOffs(
        by box: PersonalDataBox, key: String, after last: String, on pool: PostgresPool
    ) async throws -> Page {
        try await pool.withTransaction(retriesMax: 3) { transaction in
            var page = Page(end: try await end(of: .deliveries, after: last, in: transaction))
            guard let end = page.end else { return page }
            let rows = try await transaction.query(
                """
                SELECT delivery_id, drop_off FROM deliveries
                WHERE delivery_id > \(last) AND delivery_id <= \(end) AND drop_off IS NOT NULL
                    AND NOT starts_with(drop_off #>> '{}', \(key))
                ORDER BY delivery_id FOR NO KEY UPDATE SKIP LOCKED
                """)
            let opened = try rows.compactMap { row -> (delivery: DeliveryID, dropOff: DropOff?)? in
                let id: DeliveryID = try row.identifier("delivery_id")
                // The box reports what it cannot open; it stays as it is.
                return (try? box.dropOff(in: row.decode("drop_off"), of: id)).map { (id, $0) }
            }
            let statements = try OrderRepository.replace(opened, by: box)
            if !statements.isEmpty { try await transaction.batch(statements) }
            (page.sealed, page.left) = (opened.count, rows.count - opened.count)
            return page
        }
    }

    /// Seals the couriers' numbers of a page with the present key.
    static func sealNumbers(
        _ numbers: Numbers, by box: PersonalDataBox, key: String, after last: String, on pool: PostgresPool
    ) async throws -> Page {
        let (table, id, path) = (numbers.table, numbers.id, numbers.path)
        return try await pool.withTransaction(retriesMax: 3) { transaction in
            var page = Page(end: try await end(of: numbers, after: last, in: transaction))
            guard let end = page.end else { return page }
            let rows = try await transaction.query(
                """
                SELECT \(sql: id) AS id, snapshot #> \(sql: path) AS courier FROM \(sql: table)
                WHERE \(sql: id) > \(last) AND \(sql: id) <= \(end)
                    AND NOT starts_with(snapshot #> \(sql: path) ->> 'phone', \(key))
                ORDER BY 1 FOR NO KEY UPDATE SKIP LOCKED
                """)
            let sealed = try rows.compactMap { row -> (id: String, phone: String)? in
                let courier: Courier = try row.decodeJSON("courier")
                guard let phone = try box.resealed(courier)?.phone else { return nil }
                return (try row.decode("id"), phone)
            }
            if !sealed.isEmpty {
                try await transaction.execute(
                    """
                    UPDATE \(sql: table)
                    SET snapshot = jsonb_set(snapshot, \(sql: path)::text[] || ARRAY['phone'], to_jsonb(new.phone))
                    FROM unnest(\(sealed.map(\.id))::text[], \(sealed.map(\.phone))::text[]) AS new (id, phone)
                    WHERE \(sql: id) = new.id
                    """)
            }
            (page.sealed, page.left) = (sealed.count, rows.count - sealed.count)
            return page
        }
    }

    /// The last id of the next page; nil where there is none.
    private static func end(
        of numbers: Numbers, after last: String, in transaction: PostgresTransaction
    ) async throws -> String? {
        try await transaction.query(
            """
            SELECT max(id) AS id FROM (
                SELECT \(sql: numbers.id) AS id FROM \(sql: numbers.table) WHERE \(sql: numbers.id) > \(last)
                ORDER BY 1 LIMIT \(pageMax)) AS page
            """)[0].decode("id")
    }
}
