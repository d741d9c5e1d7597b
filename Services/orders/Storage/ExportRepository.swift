import Foundation
import Messages
import OrderDomain
import PostgresClient

/// The SQL of exports of persons' data, and of their archives.
enum ExportRepository {
    /// Domain days after the end of an export for which its archive is kept.
    static let archiveDays = 7.0
    /// Exports of a transaction that deletes some, each with the chunks of its archive.
    static let expiredMax = 50

    private static let columns: SQL =
        "person_request_id, customer_id, courier_id, since, store_id, requested_by, requested_at, finished_at, receipts"

    // MARK: Requests

    static func export(_ id: UUID, on database: some PostgresExecutor) async throws -> PersonExport? {
        try await database.query("SELECT \(sql: columns) FROM person_exports WHERE person_request_id = \(id)")
            .first.map(export)
    }

    /// The newest export of the person for a store, or for the whole shop, that is running or ended after a time.
    static func newest(
        of person: RequestedPerson, for store: StoreID?, endedAfter: Date, on database: some PostgresExecutor
    ) async throws -> PersonExport? {
        try await database.query(
            """
            SELECT \(sql: columns) FROM person_exports
            WHERE \(sql: person.isMeant) AND store_id IS NOT DISTINCT FROM \(store?.rawValue)::text
                AND coalesce(finished_at, 'infinity') > \(endedAfter)
            ORDER BY requested_at DESC LIMIT 1
            """
        ).first.map(export)
    }

    static func insert(_ export: PersonExport) -> SQL {
        """
        INSERT INTO person_exports (person_request_id, person, customer_id, courier_id, since, store_id, requested_by,
            requested_at)
        VALUES (\(export.id), \(export.person.kind.rawValue), \(export.person.customer?.rawValue),
            \(export.person.courier?.rawValue), \(export.since), \(export.store?.rawValue), \(export.requestedBy),
            \(export.requestedAt))
        """
    }

    /// Deletes the person's exports with their archives, also those of one store.
    static func delete(of person: RequestedPerson) -> SQL { "DELETE FROM person_exports WHERE \(sql: person.isMeant)" }

    private static func export(_ row: PostgresRow) throws -> PersonExport {
        let person: RequestedPerson =
            try row.decode("customer_id", as: String?.self) == nil
            ? .courier(row.identifier("courier_id")) : .customer(row.identifier("customer_id"))
        return PersonExport(
            id: try row.decode("person_request_id"), person: person,
            store: try row.decode("store_id", as: String?.self).flatMap(StoreID.init(rawValue:)),
            requestedBy: try row.decode("requested_by"), requestedAt: try row.decode("requested_at"),
            since: try row.decode("since"), finishedAt: try row.decode("finished_at"),
            receipts: try row.decodeJSON("receipts"))
    }

    // MARK: Work

    /// As ``RequestLease/next(_:for:returning:on:)``.
    static func lease(_ lease: UUID, for duration: Duration, on pool: PostgresPool) async throws -> PersonExport? {
        try await RequestLease.exports.next(lease, for: duration, returning: columns, on: pool).map(export)
    }

    /// The next deliveries of an export, in the order of their ids.
    ///
    /// - Parameter id: the last delivery of the part before.
    static func part(
        of export: PersonExport, after id: String, on database: some PostgresExecutor
    ) async throws -> [DeliveryID] {
        try await database.query(
            """
            SELECT delivery_id FROM deliveries JOIN orders USING (order_id)
            WHERE deliveries.\(sql: export.person.isMeant) AND delivery_id > \(id) AND placed_at <= \(export.requestedAt)
                AND deliveries.store_id = coalesce(\(export.store?.rawValue), deliveries.store_id)
            ORDER BY delivery_id LIMIT \(ExportRequest.deliveriesMax)
            """
        ).map { try $0.identifier("delivery_id") }
    }

    /// The part's deliveries that are still the person's, each with the number of its episode.
    static func episodes(
        of part: [DeliveryID], _ export: PersonExport, on database: some PostgresExecutor
    ) async throws -> [ExportRequest.Part] {
        try await database.query(
            """
            SELECT delivery_id, coalesce((snapshot->>'episode')::integer, 1) AS episode FROM deliveries
            WHERE delivery_id = ANY(\(part.map(\.rawValue))::text[]) AND \(sql: export.person.isMeant)
            ORDER BY delivery_id
            """
        ).map { ExportRequest.Part(delivery: try $0.identifier("delivery_id"), episode: try $0.decode("episode")) }
    }

    /// Deletes an export of a person of whom nothing is known: it is the only row that names them.
    static func deleteEmpty(_ id: UUID, by lease: UUID, on database: some PostgresExecutor) async throws {
        try await database.execute(
            "DELETE FROM person_exports WHERE person_request_id = \(id) AND lease = \(lease)")
    }

    /// Ends an export.
    ///
    /// - Returns: false where another replica has leased it since, or it is deleted.
    static func finish(_ id: UUID, by lease: UUID, at now: Date, on database: some PostgresExecutor) async throws
        -> Bool
    {
        try await database.execute(
            """
            UPDATE person_exports SET finished_at = \(now), lease = NULL
            WHERE person_request_id = \(id) AND lease = \(lease)
            """) > 0
    }

    // MARK: Archives

    /// A sealed chunk of a section, with its number.
    struct Chunk: Sendable {
        let number: Int
        let sealed: [UInt8]
    }

    static func insert(_ chunk: Chunk, in section: ArchiveSection, of export: UUID) -> SQL {
        """
        INSERT INTO person_archives (person_request_id, section, number, sealed)
        VALUES (\(export), \(section.rawValue), \(chunk.number), \(chunk.sealed))
        """
    }

    /// The next chunk of a section after a number; nil after the last one.
    static func chunk(
        of export: UUID, in section: ArchiveSection, after number: Int, on database: some PostgresExecutor
    ) async throws -> Chunk? {
        try await database.query(
            """
            SELECT number, sealed FROM person_archives
            WHERE person_request_id = \(export) AND section = \(section.rawValue) AND number > \(number)
            ORDER BY number LIMIT 1
            """
        ).first.map { Chunk(number: try $0.decode("number"), sealed: try $0.decode("sealed")) }
    }

    /// Deletes exports past their retention, and those of customers whose every delivery was deleted: a replica of a
    /// former version that erases a customer does not know them.
    /// - Returns: how many.
    @discardableResult
    static func deleteExpired(on pool: PostgresPool, at now: Date) async throws -> Int {
        let ended = now.addingTimeInterval(-archiveDays * 86_400)
        let old = try await pool.execute(
            inBatchesOf: expiredMax,
            """
            DELETE FROM person_exports WHERE person_request_id IN (
                SELECT person_request_id FROM person_exports
                WHERE coalesce(finished_at, requested_at) < \(ended) LIMIT \(expiredMax))
            """)
        let erased = try await pool.execute(
            inBatchesOf: expiredMax,
            """
            DELETE FROM person_exports WHERE person_request_id IN (
                SELECT person_request_id FROM person_exports
                WHERE finished_at < \(now.addingTimeInterval(-PersonExport.repeatSeconds))
                    AND receipts #> '{services,orders,rows,deliveries}' IS NOT NULL AND NOT EXISTS (
                        SELECT FROM deliveries WHERE deliveries.customer_id = person_exports.customer_id)
                LIMIT \(expiredMax))
            """)
        return old + erased
    }
}

extension RequestedPerson {
    /// The condition of rows that name the person.
    var isMeant: SQL {
        switch self {
        case .customer(let id): "customer_id = \(id.rawValue)"
        case .courier(let id): "courier_id = \(id.rawValue)"
        }
    }
}
