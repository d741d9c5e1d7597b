internal import Foundation
internal import Logging
internal import Messages
package import PostgresClient
package import ReliableMessaging
internal import WireCoding

extension DigestRequester {
    /// Readers controlled by the test.
    ///
    /// - Parameter lacking: the ids of a digest that its reader lacks; all by default.
    package static func readers(
        lacking: @escaping @Sendable (_ ids: [String], _ subject: String) async throws -> Set<String> = { ids, _ in
            Set(ids)
        }
    ) -> DigestRequester {
        DigestRequester(logger: Logger(label: "readers") { _ in SwiftLogNoOpLogHandler() }) { payload, subject in
            let ids = try WireJSON.decode(RevisionDigest.self, from: Data(payload)).revisions.map(\.id)
            let missing = try await lacking(ids, subject)
            let places = ids.indices.filter { missing.contains(ids[$0]) }
            return try [UInt8](WireJSON.encode(LackingRevisions(places: places)))
        }
    }
}

/// Every page of every slice, each in a transaction of its own that enqueues the messages of what is on it.
package func pagesOfAllSlices(
    of rows: some RepublishedRows, rowsMax: Int = 100, on pool: PostgresPool
) async throws -> [RepublishablePage] {
    var pages: [RepublishablePage] = []
    for slice in RepublishSlice.all {
        var next: String?
        repeat {
            let after = next
            let done = try await pool.withTransaction { transaction in
                let slice = RepublishSlice(slice.number, after: after)
                var done = try await rows.page(of: slice, rowsMax: rowsMax, in: transaction)
                let republished = try await rows.messages(of: done.objects.map(\.id), in: transaction)
                if !republished.messages.isEmpty { try await transaction.enqueue(republished.messages) }
                done.skipped += republished.skipped
                return done
            }
            pages.append(done)
            next = done.next
        } while next != nil
    }
    return pages
}

/// The table reads of a slice's pages.
package struct PageReads: Sendable {
    /// Ids of all pages of the slice, in order.
    package var ids: [String] = []
    /// The plans of pages that read other rows than they returned.
    package var faultyPlans: [String] = []

    /// Runs the statement of each page of a slice, and has Postgres count.
    ///
    /// - Parameters:
    ///   - index: the expected index of the pages' reads.
    ///   - page: the statement; as of ``RepublishSlice/rows(_:of:id:at:rowsMax:)``.
    package init(
        of slice: RepublishSlice, through index: String, rowsMax: Int, on pool: PostgresPool,
        page: @Sendable (RepublishSlice) -> SQL
    ) async throws {
        var next: RepublishSlice? = slice
        while let slice = next {
            let results = try await pool.withTransaction { transaction in
                try await transaction.batch([
                    RepublishSlice.planning, page(slice),
                    "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) \(sql: page(slice))",
                ])
            }
            let rows = results[1].rows
            let plan = try results[2].rows.map { try $0.decode("QUERY PLAN", as: String.self) }
            let scan = plan.first { $0.contains("Index Scan using \(index) ") }
            let read = scan.flatMap { $0.firstMatch(of: /actual rows=(\d+)/) }.flatMap { Int($0.1) }
            let isFiltered = plan.contains { $0.contains("Rows Removed") || $0.contains("Seq Scan") }
            if isFiltered || read != rows.count { faultyPlans.append(plan.joined(separator: "\n")) }
            ids += try rows.map { try $0.decode("republish_id") }
            next =
                try rows.count < rowsMax
                ? nil
                : rows.last.map { row in
                    let end = try row.decode("republish_end", as: String.self)
                    return RepublishSlice(
                        slice.number, after: try "\(end)|\(row.decode("republish_id", as: String.self))",
                        ends: slice.ends)
                }
        }
    }
}
