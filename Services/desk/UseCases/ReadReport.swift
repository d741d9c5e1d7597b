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

    /// Reads the totals of the day's cards, and the presses of the same day where `orders` answers.
    ///
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func cards(
        _ day: String, of store: String?, for user: DeskUser
    ) async throws -> (CardReportBody, presses: [DayReportBody.Press]?) {
        let query = URLQuery.text([("day", day), ("store", store)])
        async let reported: DayReportBody? = services.readBeside(.orders, "/v1/report" + query, for: user)
        let report: CardReportBody = try await services.get(.activityDispatch, "/v1/cards/report" + query, for: user)
        return (report, await reported?.presses)
    }
}
