import DomainTime
import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// The totals of a day's cards.
extension DispatchHTTP {
    @Sendable func showCardReport(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        let store = try principal.scope.store ?? request.query("store", as: StoreID.self)
        guard let day = ReportDay(rawValue: request.query("day") ?? ReportDay.today.rawValue) else {
            throw Problem.malformed("query day", "is no day: write today, yesterday or a date such as 2026-11-21")
        }
        guard let report = try await makeCardReport(day, of: store) else {
            throw Problem.malformed(
                "query day", "is longer ago than totals are kept, which is \(makeCardReport.daysMax) days")
        }
        return try jsonResponse(report)
    }
}
