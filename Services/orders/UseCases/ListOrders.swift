import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Lists orders by their last change, for a search and for readers that follow all changes.
struct ListOrders: Sendable {
    static let pageMax = 50
    /// Seconds by which `changedUntil` is in the past: a change is stored at most that long after its time.
    static let overlapSeconds = 10.0

    let pool: PostgresPool
    let clock: DomainClock
    let personalData: PersonalDataBox

    struct Page: Sendable {
        let rows: [OrderListRepository.Row]
        let next: OrderCursor?
        /// Domain time before which no change is missing after the last page; of the first page, the start of the next
        /// reading.
        ///
        /// A change is stored seconds after its time, and a later page may be read later than that.
        let changedUntil: Date
    }

    /// - Returns: each order with its deliveries that the reader may see.
    func callAsFunction(
        _ filter: OrderFilter, after cursor: OrderCursor?, limit: Int, for reader: Principal
    ) async throws -> Page {
        let now = clock.now
        let page = try await OrderListRepository.page(
            filter, after: cursor, asOf: now, limit: limit, opening: personalData, on: pool)
        let rows = page.rows.map { row in
            OrderListRepository.Row(
                order: row.order, changedAt: row.changedAt,
                deliveries: row.deliveries.filter { reader.sees($0.delivery) })
        }
        let until = now.addingTimeInterval(-Self.overlapSeconds)
        return Page(
            rows: rows,
            next: page.hasMore ? rows.last.map { OrderCursor(changedAt: $0.changedAt, order: $0.order.id) } : nil,
            changedUntil: max(until, filter.changedSince ?? until))
    }
}
