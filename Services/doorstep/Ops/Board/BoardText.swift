import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import TimePresentation

/// The board as lines to print, whole: nothing is cut, so that other programs may read it.
struct BoardText {
    let text: String

    /// - Parameters:
    ///   - restrictions: what the list leaves out, in words.
    ///   - now: domain time.
    init(_ board: BoardBody, restrictions: [String] = [], now: Date) {
        let times = StoreTimes(board.deliveries, now: now)
        var lines = [board.counts.sentence]
        if board.deliveries.isEmpty, !restrictions.isEmpty {
            lines += ["", "No delivery is found: \(restrictions.joined(separator: ", "))."]
        }
        if !board.deliveries.isEmpty {
            lines[0] += " · \(times.text(now)), times are \(times.zoneName)"
            lines.append("")
            lines +=
                Table(
                    [
                        "", "LATE", "MISS", "ORDER", "CUSTOMER", "STATUS", "COURIER", "PROMISED BY", "EXPECTED",
                        "FLAGS",
                        "CARDS", "DELIVERY",
                    ],
                    board.deliveries.map { Self.cells($0, times) }
                ).lines
        }
        if let next = board.next { lines += ["", "more: --cursor \(next)"] }
        text = lines.joined(separator: "\n")
    }

    private static func cells(_ row: BoardBody.Row, _ times: StoreTimes) -> [String] {
        let cards = row.cards.map { $0.behind > 0 ? "\($0.behind) of \($0.count) behind" : "\($0.count)" } ?? "–"
        return [
            row.mark, row.lateText, row.missProbability.map { "\(Int((100 * $0).rounded())) %" } ?? "–", row.orderText,
            row.customer?.rawValue ?? "–", row.statusText, row.courierText, times.text(row.promise.end),
            times.expected(row), row.flags.map(\.rawValue).joined(separator: " "), cards, row.id.rawValue,
        ].map(\.safeOnTerminal)
    }
}

extension BoardBody.Counts {
    /// How many deliveries are live, and how many of them are in which trouble.
    var sentence: String {
        "\(live) live · \(late) late · \(atRisk) at risk · \(silent) silent · \(unassigned) unassigned · "
            + "\(waitingForCustomer) waiting for the customer"
    }
}
