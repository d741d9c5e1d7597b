import DomainTime
import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Everything that happened, by time, and a day in numbers.
extension OrdersHTTP {
    @Sendable func listTimeline(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator)
        let filter = try timelineFilter(request, for: principal)
        let cursor = try request.query("cursor", as: TimelineCursor.self)
        let limit = try request.query("limit", in: 1...ListTimeline.pageMax, default: ListTimeline.pageMax)
        let page = try await listTimeline(filter, after: cursor, limit: limit)
        return try jsonResponse(
            TimelinePageBody(
                rows: page.rows.map { TimelinePageBody.Row($0, for: principal) }, next: page.next?.rawValue,
                until: page.until))
    }

    /// The query's filter, restricted to the caller's scope.
    private func timelineFilter(_ request: Request, for principal: Principal) throws -> TimelineFilter {
        var filter = TimelineFilter()
        filter.since = try request.time("since")
        filter.store = try principal.scope.store ?? request.query("store", as: StoreID.self)
        filter.courier = try request.query("courier", as: CourierID.self)
        filter.kind = try request.query("kind", as: TimelineKind.self)
        filter.isWithoutNotices = try request.query("notices", as: BooleanParameter.self) == .false
        filter.reference = try request.orderReference()
        filter.delivery = try principal.scope.delivery ?? request.query("delivery", as: DeliveryID.self)
        filter.order = try request.query("order", as: TimelineOrder.self) ?? .oldest
        return filter
    }

    @Sendable func showReport(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        let store = try principal.scope.store ?? request.query("store", as: StoreID.self)
        guard let day = ReportDay(rawValue: request.query("day") ?? ReportDay.today.rawValue) else {
            throw Problem.malformed("query day", "is no day: write today, yesterday or a date such as 2026-11-21")
        }
        guard let report = try await makeDayReport(day, of: store) else {
            throw Problem.malformed(
                "query day", "is longer ago than timelines are kept, which is \(makeDayReport.daysMax) days")
        }
        return try jsonResponse(report)
    }
}

extension TimelineBody.Entry {
    init(_ entry: TimelineEntry) {
        self.init(
            at: entry.at, version: entry.version, kind: entry.kind, what: entry.summary, by: entry.by,
            reason: entry.reason, occurredAt: entry.report?.occurredAt, source: entry.report?.source,
            isLate: entry.report?.isLate == true ? true : nil,
            isInferred: entry.report?.isInferred == true ? true : nil)
    }
}

extension TimelinePageBody.Row {
    init(_ row: TimelineRow, for reader: Principal) {
        self.init(
            id: row.id, delivery: row.delivery, reference: row.reference, bag: row.bag, store: row.store,
            storeName: row.storeName, timeZone: row.timeZone, courier: row.courier, courierName: row.courierName,
            street: row.street, entry: TimelineBody.Entry(row.entry.redacted(for: reader)))
    }
}
