import DoorstepAPI
import Foundation

/// Reads events of all deliveries page by page, each event once.
struct EventLog: Sendable {
    /// Reads a page of the events since a domain time; the text is the page's cursor, nil for the first.
    typealias Read = @Sendable (Date, String?) async throws -> TimelinePageBody

    private let read: Read
    private var since: Date
    /// Events of the last answers that the next one may repeat, with their times.
    private var known: [Int: Date] = [:]

    init(since: Date, read: @escaping Read) {
        self.since = since
        self.read = read
    }

    /// Reads the events since the last reading, oldest first, page by page.
    ///
    /// It keeps one page, and the ids of events that the next reading may repeat.
    /// - Throws: an error of reading, or of `write`.
    mutating func readNew(_ write: (TimelinePageBody.Row) throws -> Void) async throws {
        var cursor: String?
        // Of the first page: an event is stored seconds after its time, and a later page may come later than that.
        var until: Date?
        repeat {
            let page = try await read(since, cursor)
            for row in page.rows where known[row.id] == nil { try write(row) }
            let start = until ?? page.until
            until = start
            for row in page.rows where row.entry.at >= start { known[row.id] = row.entry.at }
            cursor = page.next
        } while cursor != nil
        since = until ?? since
        let start = since
        known = known.filter { $0.value >= start }
    }
}

/// Reads a number of the newest events of all deliveries.
struct NewestEvents: Sendable {
    /// The most events of one page.
    private static let pageMax = 100

    /// Reads a page of up to so many events, newest first; the text is the page's cursor, nil for the first.
    let read: @Sendable (Int, String?) async throws -> TimelinePageBody

    /// Reads the newest events, or those before a cursor.
    ///
    /// - Returns: the events, oldest first, and the cursor of those before them; nil where there are none.
    /// - Throws: an error of reading.
    func callAsFunction(
        _ limit: Int, before cursor: String? = nil
    ) async throws -> (rows: [TimelinePageBody.Row], older: String?) {
        var rows: [TimelinePageBody.Row] = []
        var cursor = cursor
        repeat {
            let page = try await read(min(limit - rows.count, Self.pageMax), cursor)
            rows += page.rows
            cursor = page.next
        } while cursor != nil && rows.count < limit
        return (rows.reversed(), cursor)
    }
}
