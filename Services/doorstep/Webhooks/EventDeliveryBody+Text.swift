import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

extension EventDeliveryBody {
    /// The event on its way to one address as lines to print: each attempt with its answer, and the body.
    var text: String {
        var lines = NamedValues([
            ("event", event.rawValue), ("type", type.rawValue), ("delivery", delivery?.rawValue),
            ("state", stateText), ("since", WireJSON.text(of: createdAt)), ("tries", String(attempts)),
            ("next try", nextAttemptAt.map { WireJSON.text(of: $0) }),
        ]).lines
        if let log, !log.isEmpty {
            lines += ["", "attempts"]
            lines += Table(["", "AT", "TOOK", "STATUS", "ANSWER"], log.map(\.cells)).lines
        }
        if let body { lines += ["", "body", body.safeOnTerminal] }
        return lines.joined(separator: "\n")
    }

    fileprivate var stateText: String { isReplay ? "\(state.rawValue) (replay)" : state.rawValue }

    /// The status of the newest attempt, or its error.
    fileprivate var lastAnswerText: String {
        if let lastStatus { return String(lastStatus) }
        return lastError?.shortened(to: 40) ?? "–"
    }
}

extension AttemptBody {
    fileprivate var cells: [String] {
        [
            "", WireJSON.text(of: at), "\(milliseconds) ms", status.map { String($0) } ?? "–",
            error ?? answer?.shortened(to: 60) ?? "",
        ]
    }
}

extension EventDeliveriesBody {
    var table: Table {
        Table(
            ["SINCE", "STATE", "TRIES", "LAST ANSWER", "NEXT TRY", "TYPE", "EVENT"], of: deliveries,
            ifEmpty: "no events", more: [next.map { "--cursor \($0)" }]
        ) { one in
            [
                WireJSON.text(of: one.createdAt), one.stateText, String(one.attempts), one.lastAnswerText,
                one.nextAttemptAt.map { WireJSON.text(of: $0) } ?? "–", one.type.rawValue, one.event.rawValue,
            ]
        }
    }
}
