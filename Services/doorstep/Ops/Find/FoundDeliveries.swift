import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

/// Several deliveries that a text may mean, as a table to name one from.
struct FoundDeliveries {
    /// Rows that are shown at most; more are better searched for by another word.
    static let rowsMax = 10

    let text: String

    /// - Parameters:
    ///   - rows: worst first.
    ///   - now: domain time.
    init(_ rows: [BoardBody.Row], for searched: String, now: Date) {
        let times = StoreTimes(rows, now: now)
        let short = ShortIDs(rows.map(\.id))
        let shown = rows.prefix(Self.rowsMax)
        let table = Table(
            ["ID", "", "ORDER", "CUSTOMER", "STATUS", "COURIER", "PROMISED", "EXPECTED"],
            shown.map { row in
                [
                    short.beginning(of: row.id), row.mark, row.orderText, row.customerText, row.statusText,
                    row.courierText, times.window(row.promise), times.expected(row),
                ]
            })
        var lines = [
            "\"\(searched.safeOnTerminal)\" is \(rows.count) deliveries; name one by its ID:", "",
        ]
        lines += table.lines
        if rows.count > shown.count {
            lines.append("… and \(rows.count - shown.count) more; search by something narrower")
        }
        lines += ["", "times are \(times.zoneName)"]
        text = lines.joined(separator: "\n")
    }
}
