import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

extension EventDeliveryBody {
    /// The event on its way to one address as lines to print: each attempt with its answer, and the body.
    ///
    /// - Parameter times: the format of its times.
    func text(_ times: StoreTimes) -> String {
        var lines = NamedValues([
            ("event", event.rawValue), ("type", type.rawValue), ("delivery", delivery?.rawValue),
            ("state", stateText), ("since", times.text(createdAt, withSeconds: true)), ("tries", String(attempts)),
            ("next try", nextAttemptAt.map { times.text($0, withSeconds: true) }),
            ("times are", times.zoneName),
        ]).lines
        if let log, !log.isEmpty {
            lines += ["", "attempts"]
            lines += Table(["", "AT", "TOOK", "STATUS", "ANSWER"], log.map { $0.cells(times) }).lines
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
    fileprivate func cells(_ times: StoreTimes) -> [String] {
        [
            "", times.text(at, withSeconds: true), "\(milliseconds) ms", status.map { String($0) } ?? "–",
            error ?? answer?.shortened(to: 60) ?? "",
        ]
    }
}

extension EventDeliveriesBody {
    /// The options of the next page; none after the last.
    var more: [String] { next.map { ["--cursor \($0)"] } ?? [] }

    /// - Parameter times: the format of its times.
    func table(_ times: StoreTimes) -> Table {
        Table(
            ["SINCE", "STATE", "TRIES", "LAST ANSWER", "NEXT TRY", "TYPE", "EVENT"], of: deliveries,
            ifEmpty: "no events", more: more
        ) { one in
            [
                times.text(one.createdAt, withSeconds: true), one.stateText, String(one.attempts), one.lastAnswerText,
                one.nextAttemptAt.map { times.text($0, withSeconds: true) } ?? "–", one.type.rawValue,
                one.event.rawValue,
            ]
        }
    }
}
