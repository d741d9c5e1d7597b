package import Messages
package import PostgresClient

/// The rows that a service republishes: their revisions, and the messages of those that readers lack.
///
/// The two are separate, since readers rarely lack anything: a page reads only a row's revision.
package protocol RepublishedRows: Sendable {
    /// The slice's next objects.
    func page(
        of slice: RepublishSlice, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishablePage

    /// The messages of these objects; none for a deleted object.
    func messages(of ids: [String], in transaction: PostgresTransaction) async throws -> RepublishedMessages
}

/// A row's revisions for its readers.
package struct RepublishableObject: Sendable {
    package let id: String
    /// The revisions by the subject of the readers' digests.
    package let revisions: [String: PublishedRevision]
    /// Whether no reader can confirm the object, as for a milestone without an answer.
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

/// The next objects of a slice.
package struct RepublishablePage: Sendable {
    package var objects: [RepublishableObject]
    /// The cursor of the slice's next page; nil when this was its last.
    package var next: String?
    /// Rows that cannot be read; they block no other, and the republisher logs and counts them.
    package var skipped: [SkippedRow] = []

    /// The rows that were read.
    var rowCount: Int { objects.count + skipped.count }

    init(objects: [RepublishableObject], next: String?) {
        self.objects = objects
        self.next = next
    }

    /// - Parameters:
    ///   - rows: of ``RepublishSlice/rows(_:of:id:at:rowsMax:)``, in its order.
    ///   - rowsMax: the page's limit; fewer rows make this the slice's last page.
    ///   - object: decodes a row with that id.
    /// - Throws: where the rows are not of such a statement; never for the content of a row.
    package init(
        _ rows: [PostgresRow], rowsMax: Int,
        object: (_ id: String, PostgresRow) throws -> RepublishableObject
    ) throws {
        (objects, skipped) = try rows.republishable(object)
        next = rows.count < rowsMax ? nil : try rows.last.map(RepublishSlice.position)
    }
}

/// The messages of objects that readers lack.
package struct RepublishedMessages: Sendable {
    package var messages: [OutboxMessage]
    /// The number of objects behind the messages.
    package var count: Int
    package var skipped: [SkippedRow] = []

    init(messages: [OutboxMessage], count: Int) {
        self.messages = messages
        self.count = count
    }

    /// - Parameters:
    ///   - rows: each with its id as `republish_id`.
    ///   - messages: the messages of one row.
    /// - Throws: where a row has no such id; never for the content of a row.
    package init(_ rows: [PostgresRow], messages: (PostgresRow) throws -> [OutboxMessage]) throws {
        let (all, skipped) = try rows.republishable { _, row in try messages(row) }
        self.init(messages: all.flatMap(\.self), count: all.count)
        self.skipped = skipped
    }
}

extension [PostgresRow] {
    /// Each row's decoded value, and the rows that could not be decoded.
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
