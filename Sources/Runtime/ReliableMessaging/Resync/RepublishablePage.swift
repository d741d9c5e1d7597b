package import Messages
package import PostgresClient

/// What may have to be republished of a row: who reads what of it, and its messages.
package struct RepublishableThing: Sendable {
    package let id: String
    /// What readers should have of it, by the subject of their digests.
    package let revisions: [String: PublishedRevision]
    /// Whether it has something that no reader can be asked about, such as a milestone that nobody has answered.
    package let isUnconfirmed: Bool
    package let messages: @Sendable () throws -> [OutboxMessage]

    /// - Parameter messages: made only where they are to be published.
    package init(
        id: String, revisions: [String: PublishedRevision], isUnconfirmed: Bool = false,
        messages: @escaping @Sendable () throws -> [OutboxMessage]
    ) {
        self.id = id
        self.revisions = revisions
        self.isUnconfirmed = isUnconfirmed
        self.messages = messages
    }
}

/// A row that could not be republished, and why.
package struct SkippedRow: Hashable, Sendable {
    package let id: String
    /// Quotes nothing of the row.
    package let reason: String

    init(id: String, _ error: any Error) {
        self.id = id
        reason = error is DecodingError ? UndecodableMessage(error).description : String(describing: error)
    }
}

/// The next things of a slice.
package struct RepublishablePage: Sendable {
    package var things: [RepublishableThing]
    /// What the slice's next page begins after; nil when this was its last.
    package var next: String?
    /// Rows that cannot be read; they block no other, and the republisher logs and counts them.
    package var skipped: [SkippedRow]

    init(things: [RepublishableThing], next: String?, skipped: [SkippedRow] = []) {
        self.things = things
        self.next = next
        self.skipped = skipped
    }

    /// - Parameters:
    ///   - rows: of ``RepublishSlice/rows(_:of:id:endedAfter:rowsMax:)``, in its order.
    ///   - rowsMax: the page's limit; fewer rows make this the slice's last page.
    ///   - thing: what a row of that id stands for.
    /// - Throws: where the rows are none of such a statement; never for the content of a row.
    package init(
        _ rows: [PostgresRow], rowsMax: Int,
        thing: (_ id: String, PostgresRow) throws -> RepublishableThing
    ) throws {
        var (things, skipped): ([RepublishableThing], [SkippedRow]) = ([], [])
        for row in rows {
            let id = try row.decode("republish_id", as: String.self)
            do { things.append(try thing(id, row)) } catch { skipped.append(SkippedRow(id: id, error)) }
        }
        let next = rows.count < rowsMax ? nil : try rows.last.map(RepublishSlice.position)
        self.init(things: things, next: next, skipped: skipped)
    }
}
