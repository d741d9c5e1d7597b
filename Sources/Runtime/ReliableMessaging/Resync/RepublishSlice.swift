package import Foundation
internal import Messages
package import PostgresClient

/// A slice of the republished objects: objects with equal id hashes, and a position within the slice.
///
/// An object's slice never changes, and slices are of similar size, however many objects exist. So a round that
/// republishes one slice after the other, each at its time, republishes each object at a constant interval.
package struct RepublishSlice: Hashable, Sendable {
    /// Slices; a power of two, which the migrations' indexes name too.
    package static let count = 128

    /// Every slice, from its beginning.
    package static var all: [RepublishSlice] { (0..<count).map { RepublishSlice($0) } }

    /// The objects that one pass over the slices reads, by their ends.
    package enum Ends: Hashable, Sendable {
        /// Live objects, and those that ended within `Resync.secondsAfterEnd`.
        case recent
        /// Objects that ended before that, and within `Resync.secondsAfterEndOnRequest`.
        case older
    }

    /// The slice's number, from 0 to below ``count``.
    package let number: Int
    /// The ``RepublishablePage/next`` of the previous page; nil at the slice's beginning.
    package let after: String?
    package let ends: Ends

    package init(_ number: Int, after: String? = nil, ends: Ends = .recent) {
        self.number = number
        self.after = after
        self.ends = ends
    }

    /// The beginning of the slice after this one; nil after the last.
    var following: RepublishSlice? { number + 1 < Self.count ? RepublishSlice(number + 1, ends: ends) : nil }

    /// The next rows of the slice, of ``ends`` alone: ended ones by their end, then live ones by id.
    ///
    /// Besides `columns` each has `republish_end` and `republish_id`, from which ``RepublishablePage`` builds the
    /// position. The query reads only the returned rows, through an index on `((hashtext(<id>) & 127),
    /// (coalesce(ended_at, 'infinity')), <id>)`.
    /// - Parameters:
    ///   - table: with the column `ended_at`, null while live.
    ///   - id: the table's key, a text.
    ///   - now: domain time.
    package func rows(_ columns: SQL, of table: SQL, id: SQL, at now: Date, rowsMax: Int) -> SQL {
        let recentSince = now.addingTimeInterval(-Resync.secondsAfterEnd)
        let endedAfter =
            switch ends {
            case .recent: recentSince
            case .older: now.addingTimeInterval(-Resync.secondsAfterEndOnRequest)
            }
        let endedBefore: SQL =
            switch ends {
            case .recent: ""
            case .older: "AND coalesce(ended_at, 'infinity') < \(recentSince)::timestamptz"
            }
        let parts = (after ?? "").split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let isBegun = parts.count == 2
        let end: SQL = isBegun ? "\(String(parts[0]))::timestamptz" : "\(endedAfter)::timestamptz"
        let position = isBegun ? String(parts[1]) : ""
        return """
            SELECT \(sql: columns), coalesce(ended_at, 'infinity') AS republish_end, \(sql: id) AS republish_id
            FROM \(sql: table)
            WHERE (hashtext(\(sql: id)) & 127) = \(number)::integer
                AND (coalesce(ended_at, 'infinity'), \(sql: id)) > (\(sql: end), \(position)::text)
                \(sql: endedBefore)
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

    /// Makes the planner read pages in index order: reading the rest of a slice is cheap, and sorting the whole slice
    /// for each page is not.
    package static let planning: SQL = "SET LOCAL enable_sort = off"

    /// The position after a row of ``rows(_:of:id:at:rowsMax:)``.
    static func position(after row: PostgresRow) throws -> String {
        try row.decode("republish_end", as: String.self) + "|" + row.decode("republish_id", as: String.self)
    }
}

extension PostgresTransaction {
    /// Runs ``RepublishSlice/rows(_:of:id:at:rowsMax:)``, or a statement around it that keeps its order.
    /// - Throws: ``PostgresError``.
    package func republishableRows(_ statement: SQL) async throws -> [PostgresRow] {
        let results = try await batch([RepublishSlice.planning, statement, "SET LOCAL enable_sort = on"])
        return results[1].rows
    }
}
