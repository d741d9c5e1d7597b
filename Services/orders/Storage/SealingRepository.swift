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
    /// Entries of timelines of a transaction.
    static let entriesMax = 5_000

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

    /// The last id of the next page, nil where there is none, and how many of its texts are to be written again.
    static func due(
        in table: Table, by box: PersonalDataBox, after last: String, on pool: PostgresPool
    ) async throws -> (end: String?, count: Int) {
        let counts = table.texts.map { text in "(" + due(text, by: box) + ")::integer" as SQL }
        let row = try await pool.query(
            """
            SELECT max(id) AS id, coalesce(sum(due), 0)::bigint AS due FROM (
                SELECT \(sql: table.id) AS id, \(sql: counts.dropFirst().reduce(counts[0]) { $0 + " + " + $1 }) AS due
                FROM \(sql: table.name) WHERE \(sql: table.id) > \(last) ORDER BY 1 LIMIT \(pageMax)) AS page
            """)[0]
        return (try row.decode("id"), try row.decode("due"))
    }

    /// Writes the texts of a page again.
    static func rewrite(
        _ table: Table, by box: PersonalDataBox, after last: String, to end: String, on pool: PostgresPool
    ) async throws {
        try await pool.withTransaction(retriesMax: 3) { transaction in
            if table == .deliveries { try await rewriteDropOffs(by: box, after: last, to: end, in: transaction) }
            for courier in table.couriers {
                try await rewriteNumbers(of: courier, table, by: box, after: last, to: end, in: transaction)
            }
        }
    }

    private static func rewriteDropOffs(
        by box: PersonalDataBox, after last: String, to end: String, in transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT delivery_id, drop_off FROM deliveries
            WHERE delivery_id > \(last) AND delivery_id <= \(end) AND \(sql: due(dropOff, by: box))
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
        of courier: SQL, _ table: Table, by box: PersonalDataBox, after last: String, to end: String,
        in transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT \(sql: table.id) AS id, snapshot #> \(sql: courier) AS courier FROM \(sql: table.name)
            WHERE \(sql: table.id) > \(last) AND \(sql: table.id) <= \(end) AND \(sql: due(number(courier), by: box))
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

    /// Removes the numbers that 0.26 has stored in the former versions of a page, which are sent without.
    ///
    /// - Returns: the last id of the page; nil where there is none.
    static func removeFormerNumbers(after last: Int, on pool: PostgresPool) async throws -> Int? {
        try await pool.query(
            """
            WITH page AS MATERIALIZED (
                SELECT timeline_id, reversal FROM timeline WHERE timeline_id > \(last)
                ORDER BY timeline_id LIMIT \(entriesMax)
            ), removed AS (
                UPDATE timeline SET reversal = timeline.reversal #- '{courier,value,phone}'
                    #- '{fetchedFrom,value,phone}' #- '{proof,value,claim,courier,phone}'
                FROM page WHERE timeline.timeline_id = page.timeline_id AND page.reversal IS NOT NULL
                    AND coalesce(page.reversal #> '{courier,value,phone}', page.reversal #> '{fetchedFrom,value,phone}',
                        page.reversal #> '{proof,value,claim,courier,phone}') IS NOT NULL
            )
            SELECT max(timeline_id) AS id FROM page
            """)[0].decode("id")
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
