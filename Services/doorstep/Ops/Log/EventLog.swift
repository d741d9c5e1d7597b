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
    /// - Parameters:
    ///   - cursor: of the first page; nil to begin with the oldest event.
    ///   - limit: the number of events after which the reading stops at the end of a page; nil for no limit.
    /// - Returns: the cursor of the next page; nil after the last.
    mutating func readNew(
        from cursor: String? = nil, limit: Int? = nil, _ write: (TimelinePageBody.Row) throws -> Void
    ) async throws -> String? {
        var cursor = cursor
        var count = 0
        // Of the first page: an event is stored seconds after its time, and a later page may come later than that.
        var until: Date?
        repeat {
            let page = try await read(since, cursor)
            for row in page.rows where known[row.id] == nil {
                try write(row)
                count += 1
            }
            let start = until ?? page.until
            until = start
            for row in page.rows where row.entry.at >= start { known[row.id] = row.entry.at }
            cursor = page.next
            if let limit, count >= limit, let cursor { return cursor }
        } while cursor != nil
        since = until ?? since
        let start = since
        known = known.filter { $0.value >= start }
        return nil
    }
}
