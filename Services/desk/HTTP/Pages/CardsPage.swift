import CardPresentation
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import Hummingbird
import ServiceRuntime
import WebPages

/// The page of the totals of a day's cards.
extension DeskHTTP {
    @Sendable func showCards(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let (date, day) = (request.filterText("date"), request.filterText("day") ?? "today")
            let store = request.filterText("store")
            let (report, presses) = try await readReport.cards(date ?? day, of: store, for: reader.user)
            var values: [String: Any] = [
                "missing": missing, "countedUntil": asOf(report.countedUntil), "title": report.dayText,
                "isProvisional": report.isProvisional,
                "days": ["today", "yesterday"].map {
                    ["id": $0, "isHere": date == nil && $0 == day] as [String: Any]
                },
                "charts": report.charts(presses: presses).map { BarChart(chart: $0).values },
                "hasPresses": presses != nil, "columns": CardReportBody.columns.map { $0.title.capitalized },
                "rows": report.rows.map { Self.row($0.name, kind: $0.kind.rawValue, $0.numbers) },
            ]
            values["date"] = date
            values.merge(await filterFields(store: store, couriers: nil, for: reader)) { $1 }
            return .page(DeskPage.html("cards", values, title: "Cards", tab: .cards, for: reader))
        }
    }
}
