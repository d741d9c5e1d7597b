package import Foundation
package import PostgresClient

/// A part of what is republished: things whose ids have the same hash, and where in it to begin.
///
/// A thing's slice never changes, and slices hold about as much each, however many things there are. So a round that
/// republishes one slice after the other, each at its time, republishes each thing again after the same time.
package struct RepublishSlice: Hashable, Sendable {
    /// Slices; a power of two, which the migrations' indexes name too.
    package static let count = 128

    /// Every slice, from its beginning.
    package static var all: [RepublishSlice] { (0..<count).map { RepublishSlice($0) } }

    /// The beginning of the first slice.
    static let first = RepublishSlice(0)

    /// From 0 to below ``count``.
    package let number: Int
    /// As ``RepublishablePage/next`` of the page before; nil at the slice's beginning.
    package let after: String?

    package init(_ number: Int, after: String? = nil) {
        self.number = number
        self.after = after
    }

    /// The beginning of the slice after this one; nil after the last.
    var following: RepublishSlice? { number + 1 < Self.count ? RepublishSlice(number + 1) : nil }

    /// The next rows of the slice: those that ended at `endedAfter` or later by their end, then the live ones by id.
    ///
    /// Beside `columns` each has `republish_end` and `republish_id`, which ``RepublishablePage`` makes the position of. It
    /// reads what it returns and nothing else through an index on
    /// `((hashtext(<id>) & 127), (coalesce(ended_at, 'infinity')), <id>)`.
    /// - Parameters:
    ///   - table: has `ended_at`, null while live.
    ///   - id: its key, a text.
    package func rows(
        _ columns: SQL, of table: SQL, id: SQL, endedAfter: Date, rowsMax: Int
    ) -> SQL {
        let parts = (after ?? "").split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let isBegun = parts.count == 2
        let end: SQL = isBegun ? "\(String(parts[0]))::timestamptz" : "\(endedAfter)::timestamptz"
        let position = isBegun ? String(parts[1]) : ""
        return """
            SELECT \(sql: columns), coalesce(ended_at, 'infinity') AS republish_end, \(sql: id) AS republish_id
            FROM \(sql: table)
            WHERE (hashtext(\(sql: id)) & 127) = \(number)::integer
                AND (coalesce(ended_at, 'infinity'), \(sql: id)) > (\(sql: end), \(position)::text)
            ORDER BY coalesce(ended_at, 'infinity'), \(sql: id) LIMIT \(rowsMax)
            """
    }

    /// The document of an `OrderDomain.DeliveryRevision`, out of a delivery's whole one: a tenth of its text.
    package static func deliveryRevision(in snapshot: SQL) -> SQL {
        """
        (SELECT to_jsonb(published) FROM jsonb_to_record(\(sql: snapshot)) AS published (id text, status jsonb, flags jsonb,
            courier jsonb, "assignmentEpoch" integer, version integer, episode integer))
        """
    }

    /// Has the planner read pages in the order of their index: it takes what is left of a slice for little where it is much,
    /// and would collect and sort all of it for each page.
    package static let planning: SQL = "SET LOCAL enable_sort = off"

    /// The position after a row of ``rows(_:of:id:endedAfter:rowsMax:)``.
    static func position(after row: PostgresRow) throws -> String {
        try row.decode("republish_end", as: String.self) + "|" + row.decode("republish_id", as: String.self)
    }
}

extension PostgresTransaction {
    /// Runs ``RepublishSlice/rows(_:of:id:endedAfter:rowsMax:)``, or a statement around it that keeps its order.
    package func republishableRows(_ statement: SQL) async throws -> [PostgresRow] {
        let results = try await batch([RepublishSlice.planning, statement, "SET LOCAL enable_sort = on"])
        return results[1].rows
    }
}
