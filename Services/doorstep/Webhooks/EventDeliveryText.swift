import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

/// A page of the events of an address as lines to print.
struct EventDeliveriesText {
    let text: String

    init(_ page: EventDeliveriesBody) {
        let rows = page.deliveries.map { one in
            [
                WireJSON.text(of: one.createdAt), one.stateText, String(one.attempts), one.lastAnswerText,
                one.nextAttemptAt.map { WireJSON.text(of: $0) } ?? "–", one.type.rawValue, one.event.rawValue,
            ].map(\.safeOnTerminal)
        }
        let header = ["SINCE", "STATE", "TRIES", "LAST ANSWER", "NEXT TRY", "TYPE", "EVENT"]
        let table = rows.isEmpty ? ["no events"] : Table(header, rows).lines
        let more = page.next.map { ["", "more: --cursor \($0)".safeOnTerminal] } ?? []
        text = (table + more).joined(separator: "\n")
    }
}

/// One event on its way to one address as lines to print: each attempt with its answer, and the body.
struct EventDeliveryText {
    let text: String

    init(_ one: EventDeliveryBody) {
        var lines = NamedValues([
            ("event", one.event.rawValue), ("type", one.type.rawValue), ("delivery", one.delivery?.rawValue),
            ("state", one.stateText), ("since", WireJSON.text(of: one.createdAt)), ("tries", String(one.attempts)),
            ("next try", one.nextAttemptAt.map { WireJSON.text(of: $0) }),
        ]).lines
        let attempts = one.log ?? []
        if !attempts.isEmpty {
            lines += ["", "attempts"]
            lines += Table(["", "AT", "TOOK", "STATUS", "ANSWER"], attempts.map(Self.cells)).lines
        }
        if let body = one.body { lines += ["", "body", body.safeOnTerminal] }
        text = lines.joined(separator: "\n")
    }

    private static func cells(_ attempt: AttemptBody) -> [String] {
        let answer = attempt.error ?? attempt.answer?.shortened(to: 60) ?? ""
        let cells = [
            "", WireJSON.text(of: attempt.at), "\(attempt.milliseconds) ms", attempt.status.map { String($0) } ?? "–",
            answer,
        ]
        return cells.map(\.safeOnTerminal)
    }
}

extension EventDeliveryBody {
    fileprivate var stateText: String { isReplay ? "\(state.rawValue) (replay)" : state.rawValue }

    /// What the newest attempt was answered, or why it was not.
    fileprivate var lastAnswerText: String {
        if let lastStatus { return String(lastStatus) }
        return lastError?.shortened(to: 40) ?? "–"
    }
}
