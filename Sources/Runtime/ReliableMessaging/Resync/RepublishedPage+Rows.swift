package import PostgresClient

/// A row that could not be republished, and why.
package struct SkippedRow: Hashable, Sendable {
    package let id: String
    /// Quotes nothing of the row.
    package let reason: String
}

extension RepublishedPage {
    /// Enqueues the messages of each row of a page.
    ///
    /// A row that cannot be decoded is skipped, so that it blocks no other; the republisher logs and counts it.
    /// - Parameters:
    ///   - rows: of ``RepublishSlice/rows(_:of:id:endedAfter:rowsMax:)``, in its order.
    ///   - rowsMax: the page's limit; fewer rows make this the slice's last page.
    ///   - messages: the messages of a row; none where there is nothing to say of it.
    /// - Throws: the database's error; never for the content of a row.
    package static func enqueuing(
        _ rows: [PostgresRow], rowsMax: Int, in transaction: PostgresTransaction,
        messages: (PostgresRow) throws -> [OutboxMessage]
    ) async throws -> RepublishedPage {
        var all: [OutboxMessage] = []
        var skipped: [SkippedRow] = []
        for row in rows {
            do {
                all += try messages(row)
            } catch {
                let reason =
                    error is DecodingError ? UndecodableMessage(error).description : String(describing: error)
                skipped.append(SkippedRow(id: try row.decode("republish_id"), reason: reason))
            }
        }
        try await transaction.enqueue(all)
        return RepublishedPage(
            count: rows.count - skipped.count,
            next: rows.count < rowsMax ? nil : try rows.last.map(RepublishSlice.position), skipped: skipped)
    }
}
