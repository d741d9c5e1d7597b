import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

extension ReceiptBody {
    /// The received event as lines to print: its outcome and its body.
    ///
    /// - Parameter times: the format of its times.
    func text(_ times: StoreTimes) -> String {
        let dismissed = dismissal.map { "\(times.text($0.at, withSeconds: true)) by \($0.by)" }
        var lines = NamedValues([
            ("id", id), ("source", source.rawValue), ("kind", kind),
            ("references", references.isEmpty ? "none" : references.joined(separator: ", ")),
            ("delivery", delivery?.rawValue), ("received", times.text(receivedAt, withSeconds: true)),
            ("state", stateText), ("dismissed", dismissed), ("reason", dismissal?.reason),
            ("times are", times.zoneName),
        ]).lines
        lines += ["", outcome]
        if let body { lines += ["", "body", body.safeOnTerminal] }
        return lines.joined(separator: "\n")
    }

    /// The answer to a dismissal as a line to print: of the first one, where it is a repeat.
    var dismissalText: String {
        let by = dismissal.map { " by \($0.by): \($0.reason)" } ?? ""
        return "Event \(id) is dismissed\(by)".safeOnTerminal
    }

    fileprivate var stateText: String { isKnown ? state.rawValue : "\(state.rawValue), unknown" }
}

extension ReceiptsBody {
    /// The options of the next page; none after the last.
    var more: [String] { next.map { ["--cursor \($0)"] } ?? [] }

    /// - Parameter times: the format of its times.
    func table(_ times: StoreTimes) -> Table {
        Table(
            ["RECEIVED", "STATE", "SOURCE", "KIND", "REFERENCES", "DELIVERY", "ID"], of: receipts,
            ifEmpty: "nothing was received", more: more
        ) { receipt in
            [
                times.text(receipt.receivedAt, withSeconds: true), receipt.stateText, receipt.source.rawValue,
                receipt.kind.shortened(to: 40), receipt.references.joined(separator: " ").shortened(to: 60),
                receipt.delivery?.rawValue ?? "–", receipt.id,
            ]
        }
    }
}
