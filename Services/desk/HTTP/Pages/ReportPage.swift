import CardPresentation
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// The page of a day in numbers.
extension DeskHTTP {
    @Sendable func showReport(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let (date, day) = (request.filterText("date"), request.filterText("day") ?? "today")
            let store = request.filterText("store")
            let report = try await readReport(date ?? day, of: store, for: reader.user)
            var values: [String: Any] = [
                "missing": missing, "asOf": asOf(report.asOf), "title": report.dayText,
                "days": ["today", "yesterday"].map {
                    ["id": $0, "isHere": date == nil && $0 == day] as [String: Any]
                },
                "columns": DayReportBody.columns.map { $0.title.capitalized },
                "rows": report.rows.map(Self.values),
                "cancellations": report.cancellations.map {
                    ["reason": CustomerReason.text($0.reason).withoutDirectionControls, "count": $0.count]
                        as [String: Any]
                },
                "hasCancellations": !report.cancellations.isEmpty,
            ]
            values["date"] = date
            values.merge(await filterFields(store: store, couriers: nil, for: reader)) { $1 }
            return .page(DeskPage.html("report", values, title: "The day", tab: .report, for: reader))
        }
    }

    private static func values(_ row: DayReportBody.Row) -> [String: Any] {
        let numbers = row.numbers.map { number in number.map { "\($0)" } ?? "–" }
        return ["name": row.name.withoutDirectionControls, "kind": row.kind.rawValue, "numbers": numbers]
    }
}
