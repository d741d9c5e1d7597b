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
    ///   - hasMore: whether the text may mean others too, which are not read.
    ///   - now: domain time.
    init(_ rows: [BoardBody.Row], hasMore: Bool = false, for searched: String, now: Date) {
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
        let deliveries = "\(rows.count) deliveries" + (hasMore ? " or more" : "")
        var lines = ["\"\(searched.safeOnTerminal)\" is \(deliveries); name one by its ID:", ""]
        lines += table.lines
        if rows.count > shown.count {
            let others = "\(rows.count - shown.count) \(hasMore ? "or more others" : "more")"
            lines.append("… and \(others); search by something narrower")
        }
        lines += ["", "times are \(times.zoneName)"]
        text = lines.joined(separator: "\n")
    }
}
