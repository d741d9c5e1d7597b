import CommandOutput
import DoorstepAPI
import Foundation
import Messages
import OrderDomain

/// A page of the board as lines to print.
struct BoardText {
    let text: String

    init(_ board: BoardBody, timeZone: TimeZone = .current) {
        let counts = board.counts
        var lines = [
            "\(counts.live) live · \(counts.late) late · \(counts.atRisk) at risk · \(counts.silent) silent · "
                + "\(counts.unassigned) unassigned · \(counts.waitingForCustomer) waiting for the customer"
        ]
        if !board.deliveries.isEmpty {
            let rows = board.deliveries.map { Self.cells($0, timeZone: timeZone) }
            lines.append("")
            lines +=
                Table(
                    [
                        "", "MISS", "ORDER", "STATUS", "COURIER", "PROMISED BY", "EXPECTED", "BESIDE", "CARDS",
                        "DELIVERY",
                    ],
                    rows
                ).lines
        }
        if let next = board.next { lines += ["", "more: --cursor \(next)"] }
        text = lines.joined(separator: "\n")
    }

    private static func cells(_ row: BoardBody.Row, timeZone: TimeZone) -> [String] {
        let mark =
            switch row.risk {
            case .late: "late"
            case .atRisk: "at risk"
            case .onTime, .ended: ""
            }
        let status = row.courierStatus.map { "\(row.status.rawValue)/\($0.rawValue)" } ?? row.status.rawValue
        let bag = row.bag.count > 1 ? " \(row.bag.number)/\(row.bag.count)" : ""
        let cards = row.cards.map { $0.behind > 0 ? "\($0.behind) of \($0.count) behind" : "\($0.count)" } ?? "–"
        return [
            mark, row.missProbability.map { "\(Int((100 * $0).rounded())) %" } ?? "–", row.reference + bag, status,
            row.courier?.rawValue ?? "–",
            row.promise.end.clock(in: timeZone), row.estimate.map { $0.arrivesAt.clock(in: timeZone) } ?? "–",
            row.flags.map(\.rawValue).joined(separator: " "), cards, row.id.rawValue,
        ].map(\.safeOnTerminal)
    }
}
