import Foundation
import OrderDomain
import PostgresClient

/// The search in sealed drop-offs, which the database cannot read.
extension DeliverySearch {
    /// Drop-offs of a statement.
    private static let pageMax = 1_000

    /// The deliveries that are searched, each by its own index, so that no search reads the history.
    enum Searched: CaseIterable, Sendable {
        case live, endedLately

        /// The column by whose order they are read, with their ids.
        private var place: SQL {
            switch self {
            case .live: "promise_end"
            case .endedLately: "ended_at"
            }
        }

        private func condition(_ asOf: Date) -> SQL {
            switch self {
            case .live: "ended_at IS NULL"
            case .endedLately: "ended_at > \(BoardRepository.endedAfter(asOf))"
            }
        }

        /// The next page of sealed drop-offs, each with its place.
        func page(after last: (place: String, id: String), scope: SQL, asOf: Date) -> SQL {
            """
            SELECT delivery_id, drop_off, \(sql: place)::text AS place FROM deliveries
            WHERE \(sql: condition(asOf)) AND (\(sql: place), delivery_id) > (\(last.place)::timestamptz, \(last.id))
                AND \(sql: scope) AND jsonb_typeof(drop_off) = 'string'
            ORDER BY \(sql: place), delivery_id LIMIT \(DeliverySearch.pageMax)
            """
        }
    }

    /// The deliveries, live or ended lately, whose sealed recipient, street or number the term finds; none where the
    /// reader may not search them.
    ///
    /// They are opened page by page: a keyed hash of each beginning would reveal names by how often each occurs.
    static func sealed(
        _ term: SearchTerm?, restrictions: FilterRestrictions, scope: SQL, asOf: Date, opening box: PersonalDataBox,
        on database: some PostgresExecutor
    ) async throws -> [DeliveryID] {
        guard let term, box.hasKeys, !restrictions.dropOff else { return [] }
        var found: [DeliveryID] = []
        for searched in Searched.allCases {
            var last = (place: "-infinity", id: "")
            while true {
                let rows = try await database.query(searched.page(after: last, scope: scope, asOf: asOf))
                for row in rows {
                    let id: DeliveryID = try row.identifier("delivery_id")
                    // What cannot be opened is reported by the box.
                    guard let dropOff = try? box.dropOff(in: row.decode("drop_off"), of: id) else { continue }
                    if term.finds(dropOff) { found.append(id) }
                }
                guard rows.count == pageMax, let end = rows.last else { break }
                last = (place: try end.decode("place"), id: try end.decode("delivery_id"))
            }
        }
        return found
    }
}
