import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import TimePresentation

extension BoardBody {
    /// The whole board as lines to print, uncut for other programs.
    ///
    /// - Parameters:
    ///   - restrictions: the list's filters, in words.
    ///   - now: domain time.
    func text(restrictions: [String] = [], now: Date) -> String {
        let times = StoreTimes(deliveries, now: now)
        var lines = [counts.sentence]
        if deliveries.isEmpty, !restrictions.isEmpty {
            lines += ["", "No delivery is found: \(restrictions.joined(separator: ", "))."]
        }
        if !deliveries.isEmpty {
            lines[0] += " · \(times.text(now)), times are \(times.zoneName)"
            lines.append("")
            lines += Table(Self.header, deliveries.map { $0.cells(times) }).lines
        }
        if let next { lines += ["", "more: --cursor \(next)"] }
        return lines.joined(separator: "\n")
    }

    private static let header = [
        "", "LATE", "MISS", "ORDER", "CUSTOMER", "STATUS", "COURIER", "PROMISED BY", "EXPECTED", "FLAGS", "CARDS",
        "DELIVERY",
    ]
}

extension BoardBody.Row {
    fileprivate func cells(_ times: StoreTimes) -> [String] {
        let cards = cards.map { $0.behind > 0 ? "\($0.behind) of \($0.count) behind" : "\($0.count)" } ?? "–"
        return [
            mark, lateText, missProbability.map { "\(Int((100 * $0).rounded())) %" } ?? "–", orderText,
            customer?.rawValue ?? "–", statusText, courierText, times.text(promise.end), times.expected(self),
            flags.map(\.rawValue).joined(separator: " "), cards, id.rawValue,
        ]
    }
}

extension BoardBody.Counts {
    /// The number of live deliveries, and of deliveries with each kind of fault.
    var sentence: String {
        "\(live) live · \(late) late · \(atRisk) at risk · \(silent) silent · \(unassigned) unassigned · "
            + "\(waitingForCustomer) waiting for the customer"
    }
}
