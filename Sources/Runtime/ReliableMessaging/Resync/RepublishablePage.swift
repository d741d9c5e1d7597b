package import Messages
package import PostgresClient

/// What a service republishes: rows by what their readers should have of them, and the messages of those that are lacking.
///
/// The two are apart, since nearly nothing is ever lacking: a page reads no more of a row than its revision.
package protocol RepublishedRows: Sendable {
    /// The slice's next things.
    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishablePage

    /// The messages of these things; none of one that is gone.
    func messages(of ids: [String], in transaction: PostgresTransaction) async throws -> RepublishedMessages
}

/// A row by what its readers should have of it.
package struct RepublishableThing: Sendable {
    package let id: String
    /// By the subject of the readers' digests.
    package let revisions: [String: PublishedRevision]
    /// Whether it has something that no reader can be asked about, such as a milestone that nobody has answered.
    package let isUnconfirmed: Bool

    package init(id: String, revisions: [String: PublishedRevision], isUnconfirmed: Bool = false) {
        self.id = id
        self.revisions = revisions
        self.isUnconfirmed = isUnconfirmed
    }
}

/// A row that could not be republished, and why.
package struct SkippedRow: Hashable, Sendable {
    package let id: String
    /// Quotes nothing of the row.
    package let reason: String

    fileprivate init(id: String, _ error: any Error) {
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
    package var skipped: [SkippedRow] = []

    /// The rows that were read.
    var rowCount: Int { things.count + skipped.count }

    init(things: [RepublishableThing], next: String?) {
        self.things = things
        self.next = next
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
        (things, skipped) = try rows.republishable(thing)
        next = rows.count < rowsMax ? nil : try rows.last.map(RepublishSlice.position)
    }
}

/// The messages of things that readers lack.
package struct RepublishedMessages: Sendable {
    package var messages: [OutboxMessage]
    /// How many things they are of.
    package var count: Int
    package var skipped: [SkippedRow] = []

    init(messages: [OutboxMessage], count: Int) {
        self.messages = messages
        self.count = count
    }

    /// - Parameters:
    ///   - rows: each with its id as `republish_id`.
    ///   - messages: those of one row.
    /// - Throws: where a row has no such id; never for the content of a row.
    package init(_ rows: [PostgresRow], messages: (PostgresRow) throws -> [OutboxMessage]) throws {
        let (all, skipped) = try rows.republishable { _, row in try messages(row) }
        self.init(messages: all.flatMap(\.self), count: all.count)
        self.skipped = skipped
    }
}

extension [PostgresRow] {
    /// What each row is made to, and the rows of which nothing could be made.
    fileprivate func republishable<Value>(
        _ make: (_ id: String, PostgresRow) throws -> Value
    ) throws -> ([Value], [SkippedRow]) {
        var (values, skipped): ([Value], [SkippedRow]) = ([], [])
        for row in self {
            let id = try row.decode("republish_id", as: String.self)
            do { values.append(try make(id, row)) } catch { skipped.append(SkippedRow(id: id, error)) }
        }
        return (values, skipped)
    }
}
