import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

extension BoardBody {
    /// The whole board as lines to print, uncut for other programs.
    ///
    /// - Parameters:
    ///   - restrictions: the list's filters, in words.
    ///   - now: domain time.
    ///   - columnsMax: the width of the terminal; nil prints every column.
    func text(restrictions: [String] = [], now: Date, columnsMax: Int? = nil) -> String {
        let times = StoreTimes(deliveries, now: now)
        var lines = [counts.sentence]
        if deliveries.isEmpty, !restrictions.isEmpty {
            lines += ["", "No delivery is found: \(restrictions.joined(separator: ", "))."]
        }
        if !deliveries.isEmpty {
            lines[0] += " · \(times.text(now)), times are \(times.zoneName)"
            lines.append("")
            lines +=
                Table(
                    Self.header, deliveries.map { $0.cells(times) }, columnsMax: columnsMax, leavingOut: Self.leftOut
                ).lines
        }
        if let next { lines += ["", "more: --cursor \(next)"] }
        return lines.joined(separator: "\n")
    }

    private static let header = [
        "", "LATE", "MISS", "ORDER", "CUSTOMER", "STATUS", "COURIER", "PROMISED", "EXPECTED", "FLAGS", "CARDS",
        "DELIVERY",
    ]

    /// The columns that a narrow terminal gives up, in this order.
    private static let leftOut = ["CARDS", "FLAGS", "DELIVERY", "MISS", "CUSTOMER", "EXPECTED", "COURIER", "LATE"]
}

extension BoardBody.Row {
    fileprivate func cells(_ times: StoreTimes) -> [String] {
        let cards = cards.map { $0.behind > 0 ? "\($0.behind) of \($0.count) outdated" : "\($0.count)" } ?? "–"
        return [
            mark, lateText, missProbability.map { "\(Int((100 * $0).rounded())) %" } ?? "–", orderText,
            customerText, statusText, courierText, times.window(promise), times.expected(self),
            flagsText, cards, id.rawValue,
        ]
    }
}

extension BoardBody.Counts {
    /// The number of live deliveries, and of deliveries with each kind of fault.
    var sentence: String {
        "\(live) live · \(late) late · \(atRisk) at risk · \(silent) silent · \(unassigned) to assign · "
            + "\(waitingForCustomer) waiting for the customer"
    }
}
