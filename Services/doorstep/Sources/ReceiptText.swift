import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

/// A page of what providers sent as lines to print.
struct ReceiptsText {
    let text: String

    init(_ page: ReceiptsBody) {
        let rows = page.receipts.map { receipt in
            [
                WireJSON.text(of: receipt.receivedAt), receipt.stateText, receipt.source.rawValue,
                receipt.kind.shortened(to: 40), receipt.references.joined(separator: " ").shortened(to: 60),
                receipt.delivery?.rawValue ?? "–", receipt.id,
            ].map(\.safeOnTerminal)
        }
        let header = ["RECEIVED", "STATE", "SOURCE", "KIND", "REFERENCES", "DELIVERY", "ID"]
        let table = rows.isEmpty ? ["nothing was received"] : Table(header, rows).lines
        let more = page.next.map { ["", "more: --cursor \($0)".safeOnTerminal] } ?? []
        text = (table + more).joined(separator: "\n")
    }
}

/// One event that a provider sent as lines to print: what became of it, and its body.
struct ReceiptText {
    let text: String

    init(_ receipt: ReceiptBody) {
        let dismissed = receipt.dismissal.map { "\(WireJSON.text(of: $0.at)) by \($0.by)" }
        var lines = NamedValues([
            ("id", receipt.id), ("source", receipt.source.rawValue), ("kind", receipt.kind),
            ("references", receipt.references.isEmpty ? "none" : receipt.references.joined(separator: ", ")),
            ("delivery", receipt.delivery?.rawValue), ("received", WireJSON.text(of: receipt.receivedAt)),
            ("state", receipt.stateText), ("dismissed", dismissed), ("reason", receipt.dismissal?.reason),
        ]).lines
        lines += ["", receipt.outcome]
        if let body = receipt.body { lines += ["", "body", body.safeOnTerminal] }
        text = lines.joined(separator: "\n")
    }
}

/// What a dismissal is answered as a line to print: the first one's, where it is a repeat.
struct DismissalText {
    let text: String

    init(_ receipt: ReceiptBody) {
        let dismissal = receipt.dismissal.map { " by \($0.by): \($0.reason)" } ?? ""
        text = "Event \(receipt.id) is dismissed\(dismissal)".safeOnTerminal
    }
}

extension ReceiptBody {
    fileprivate var stateText: String { isKnown ? state.rawValue : "\(state.rawValue), unknown" }
}
