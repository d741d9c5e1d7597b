package import PostgresClient

/// A row that could not be said again, and why.
package struct SkippedRow: Hashable, Sendable {
    package let id: String
    /// Quotes nothing of the row.
    package let reason: String
}

extension RepublishedPage {
    /// Enqueues what each row of a page comes to.
    ///
    /// A row that cannot be read is passed over, so that it stops no other; whoever runs the round tells of it.
    /// - Parameters:
    ///   - rows: in ascending order of `id`.
    ///   - rowsMax: how many were asked for; fewer make this the last page.
    ///   - id: the column that is the cursor, a text.
    ///   - messages: what a row comes to.
    /// - Throws: what the database says; never for what is in a row.
    package static func enqueuing(
        _ rows: [PostgresRow], rowsMax: Int, id: String, in transaction: PostgresTransaction,
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
                skipped.append(SkippedRow(id: try row.decode(id), reason: reason))
            }
        }
        try await transaction.enqueue(all)
        return RepublishedPage(
            count: rows.count - skipped.count, next: rows.count < rowsMax ? nil : try rows.last?.decode(id),
            skipped: skipped)
    }
}
