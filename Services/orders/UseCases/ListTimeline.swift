import DomainTime
import Foundation
import PostgresClient

/// Lists the timelines of many deliveries by time, for readers that follow everything.
struct ListTimeline: Sendable {
    static let pageMax = 100

    let pool: PostgresPool
    let clock: DomainClock
    let personalData: PersonalDataBox

    struct Page: Sendable {
        let rows: [TimelineRow]
        let next: TimelineCursor?
        /// Domain time before which no entry is missing; the start of the next request.
        let until: Date
    }

    func callAsFunction(
        _ filter: TimelineFilter, after cursor: TimelineCursor?, limit: Int
    ) async throws -> Page {
        let until = clock.now.addingTimeInterval(-ListOrders.overlapSeconds)
        let (rows, next) = try await TimelineRepository.page(
            filter, after: cursor, limit: limit, opening: personalData, on: pool)
        return Page(rows: rows, next: next, until: max(until, filter.since ?? until))
    }
}
