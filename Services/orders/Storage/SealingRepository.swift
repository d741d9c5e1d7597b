import Foundation
import OrderDomain
import PostgresClient

/// The SQL that seals readable rows, and rows under a retired key; or that writes sealed rows back in clear.
///
/// It goes page by page in the order of ids. A row that is locked is left to the next pass; a page never waits for a
/// change, and never changes a version.
enum SealingRepository {
    /// Rows of a transaction, whether they are to be written again or not.
    static let pageMax = 1_000

    /// The tables with personal data that are sealed.
    enum Table: CaseIterable, Sendable {
        case deliveries, couriers, storeCouriers

        fileprivate var name: SQL {
            switch self {
            case .deliveries: "deliveries"
            case .couriers: "couriers"
            case .storeCouriers: "store_couriers"
            }
        }

        /// Identifies a row and sorts.
        fileprivate var id: SQL {
            switch self {
            case .deliveries: "delivery_id"
            case .couriers: "courier_id"
            case .storeCouriers: "store_id || '/' || courier_id"
            }
        }

        /// Where couriers are in the row's snapshot.
        fileprivate var couriers: [SQL] {
            switch self {
            case .deliveries: ["'{courier}'", "'{fetchedFrom}'", "'{proof,claim,courier}'"]
            case .couriers, .storeCouriers: ["'{}'"]
            }
        }

        fileprivate var texts: [SQL] {
            couriers.map(SealingRepository.number) + (self == .deliveries ? [SealingRepository.dropOff] : [])
        }
    }

    /// Rows of a table in the order of their ids.
    struct Rows: Sendable {
        let table: Table
        /// The domain time at or after which the orders of the read deliveries changed; nil for all deliveries.
        ///
        /// Of the other tables, which are small, all rows are read.
        let changedSince: Date?

        /// The rows after an id.
        fileprivate func after(_ last: String) -> SQL {
            let later: SQL = "\(sql: table.id) > \(last)"
            guard table == .deliveries, let changedSince else { return later }
            // The array is made once, by the index of changes; a join might read all deliveries in the order of ids.
            return """
                \(sql: later) AND delivery_id = ANY(ARRAY(
                    SELECT changed.delivery_id FROM orders JOIN deliveries AS changed USING (order_id)
                    WHERE coalesce(orders.changed_at, orders.placed_at) >= \(changedSince)))
                """
        }
    }

    /// The last id of the next page, nil where there is none, and how many of its texts are to be written again.
    static func due(
        in rows: Rows, by box: PersonalDataBox, after last: String, on pool: PostgresPool
    ) async throws -> (end: String?, count: Int) {
        let table = rows.table
        let counts = table.texts.map { text in "(" + due(text, by: box) + ")::integer" as SQL }
        let row = try await pool.query(
            """
            SELECT max(id) AS id, coalesce(sum(due), 0)::bigint AS due FROM (
                SELECT \(sql: table.id) AS id, \(sql: counts.dropFirst().reduce(counts[0]) { $0 + " + " + $1 }) AS due
                FROM \(sql: table.name) WHERE \(sql: rows.after(last)) ORDER BY 1 LIMIT \(pageMax)) AS page
            """)[0]
        return (try row.decode("id"), try row.decode("due"))
    }

    /// Writes the texts of a page again.
    static func rewrite(
        _ rows: Rows, by box: PersonalDataBox, after last: String, to end: String, on pool: PostgresPool
    ) async throws {
        let page: SQL = "\(sql: rows.after(last)) AND \(sql: rows.table.id) <= \(end)"
        try await pool.withTransaction(retriesMax: 3) { transaction in
            if rows.table == .deliveries { try await rewriteDropOffs(where: page, by: box, in: transaction) }
            for courier in rows.table.couriers {
                try await rewriteNumbers(of: courier, rows.table, where: page, by: box, in: transaction)
            }
        }
    }

    private static func rewriteDropOffs(
        where page: SQL, by box: PersonalDataBox, in transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT delivery_id, drop_off FROM deliveries WHERE \(sql: page) AND \(sql: due(dropOff, by: box))
            ORDER BY delivery_id FOR NO KEY UPDATE SKIP LOCKED
            """)
        let opened = try rows.compactMap { row -> (delivery: DeliveryID, dropOff: DropOff?)? in
            let id: DeliveryID = try row.identifier("delivery_id")
            do {
                return (id, try box.dropOff(in: row.decode("drop_off"), of: id))
            } catch is PersonalDataBox.Unreadable {
                return nil
            } catch is DecodingError {
                box.report(.init(description: "the drop-off of \(id) is damaged"))
                return nil
            }
        }
        let statements = try OrderRepository.replace(opened, by: box)
        if !statements.isEmpty { try await transaction.batch(statements) }
    }

    private static func rewriteNumbers(
        of courier: SQL, _ table: Table, where page: SQL, by box: PersonalDataBox, in transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT \(sql: table.id) AS id, snapshot #> \(sql: courier) AS courier FROM \(sql: table.name)
            WHERE \(sql: page) AND \(sql: due(number(courier), by: box))
            ORDER BY 1 FOR NO KEY UPDATE SKIP LOCKED
            """)
        let written = try rows.compactMap { row -> (id: String, phone: String)? in
            let id: String = try row.decode("id")
            do {
                let courier: Courier = try row.decodeJSON("courier")
                let written = try box.written(courier)
                // What cannot be opened is left as it is.
                guard written != courier, let phone = written.phone else { return nil }
                return (id, phone)
            } catch is DecodingError {
                box.report(.init(description: "the courier of \(id) is damaged"))
                return nil
            }
        }
        guard !written.isEmpty else { return }
        try await transaction.execute(
            """
            UPDATE \(sql: table.name)
            SET snapshot = jsonb_set(snapshot, \(sql: courier)::text[] || ARRAY['phone'], to_jsonb(new.phone))
            FROM unnest(\(written.map(\.id))::text[], \(written.map(\.phone))::text[]) AS new (id, phone)
            WHERE \(sql: table.id) = new.id
            """)
    }

    // MARK: Conditions

    private static let dropOff: SQL = "drop_off #>> '{}'"

    private static func number(_ courier: SQL) -> SQL { "snapshot #> " + courier + " ->> 'phone'" }

    /// Whether a text is not as the box writes it.
    private static func due(_ text: SQL, by box: PersonalDataBox) -> SQL {
        let keys = box.seals ? box.kept.sorted().map(String.init).joined(separator: "|") : "[0-9]{1,3}"
        let sealed = "^(\(keys)):[A-Za-z0-9_-]{\(PersonalDataBox.sealedBytesMin),}$"
        let isSealed: SQL = "(\(sql: text)) ~ \(sealed)::text"
        return box.seals ? "NOT coalesce(\(sql: isSealed), TRUE)" : "coalesce(\(sql: isSealed), FALSE)"
    }
}
