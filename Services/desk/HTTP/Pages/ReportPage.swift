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
                "rows": report.rows.map { Self.row($0.name, kind: $0.kind.rawValue, $0.numbers) },
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

    /// The values of a row of a day's report.
    static func row(_ name: String, kind: String, _ numbers: [Int?]) -> [String: Any] {
        ["name": name.withoutDirectionControls, "kind": kind, "numbers": numbers.map(\.reportCell)]
    }
}
