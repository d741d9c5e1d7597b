import DeliveryDiagnosis
import DoorstepAPI

/// Reads a day in numbers.
struct ReadReport: Sendable {
    let services: ServiceClient

    /// - Parameter store: nil for every store.
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func callAsFunction(_ day: String, of store: String?, for user: DeskUser) async throws -> DayReportBody {
        try await services.get(.orders, "/v1/report" + URLQuery.text([("day", day), ("store", store)]), for: user)
    }
}
