import Foundation
import OrderDomain
import PostgresClient

/// The search in sealed drop-offs, which the database cannot read.
extension DeliverySearch {
    /// Drop-offs of a statement.
    private static let pageMax = 1_000

    /// The deliveries, live or ended lately, whose sealed recipient, street or number the term finds; none where the
    /// reader may not search them.
    ///
    /// They are opened page by page: a keyed hash of each beginning would reveal names by how often each occurs.
    static func sealed(
        _ term: SearchTerm?, restrictions: FilterRestrictions, scope: SQL, asOf: Date, opening box: PersonalDataBox,
        on database: some PostgresExecutor
    ) async throws -> [DeliveryID] {
        guard let term, box.hasKeys, !restrictions.dropOff else { return [] }
        var (found, last) = ([DeliveryID](), "")
        while true {
            let rows = try await database.query(
                """
                SELECT delivery_id, drop_off FROM deliveries
                WHERE (ended_at IS NULL OR ended_at > \(BoardRepository.endedAfter(asOf))) AND \(sql: scope)
                    AND jsonb_typeof(drop_off) = 'string' AND delivery_id > \(last)
                ORDER BY delivery_id LIMIT \(pageMax)
                """)
            for row in rows {
                let id: DeliveryID = try row.identifier("delivery_id")
                // What cannot be opened is reported by the box.
                guard let dropOff = try? box.dropOff(in: row.decode("drop_off"), of: id) else { continue }
                if term.finds(dropOff) { found.append(id) }
            }
            guard rows.count == pageMax, let end = rows.last else { return found }
            last = try end.decode("delivery_id")
        }
    }
}
