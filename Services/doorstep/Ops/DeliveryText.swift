import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

/// A delivery and its timeline as lines to print.
struct DeliveryText {
    let text: String

    /// - Parameter now: domain time.
    init(_ delivery: DeliveryBody, _ entries: [TimelineBody.Entry], now: Date) {
        let times = StoreTimes(timeZone: delivery.store.timeZone, now: now)
        let status = delivery.courierStatus.map { "\(delivery.status.rawValue) / \($0.rawValue)" }
        let bag = delivery.bag.count > 1 ? " · bag \(delivery.bag.number) of \(delivery.bag.count)" : ""
        let allowed = delivery.allowed.map(\.rawValue).joined(separator: ", ")
        var lines = ["\(delivery.reference)\(bag) · \(delivery.store.name) · times are \(times.zoneName)"]
        lines += [
            (
                "status",
                "\(status ?? delivery.status.rawValue) (\(delivery.phase.rawValue)), version \(delivery.version)"
            ),
            ("reason", delivery.reason),
            ("flags", delivery.flags.isEmpty ? "none" : delivery.flags.map(\.rawValue).joined(separator: ", ")),
            ("customer", delivery.customer?.rawValue ?? "–"),
            ("recipient", delivery.recipient.map { [$0.name, $0.phone].compactMap(\.self).joined(separator: ", ") }),
            ("address", delivery.address?.line), ("note", delivery.note),
            ("courier", delivery.courier.map { "\($0.name) (\($0.id))" } ?? "nobody"),
            ("promise", times.text(from: delivery.promise.start, to: delivery.promise.end)),
            ("activity", "\(delivery.activity), written by \(delivery.holder.rawValue)"),
            ("next", allowed.isEmpty ? "nothing" : allowed),
        ].compactMap { name, value in value.map { name.padding(toLength: 11, withPad: " ", startingAt: 0) + $0 } }
        lines += ["", "items"]
        lines += Table(["", "ID", "PICKED", "ITEM", "STATE"], delivery.items.map(Self.cells)).lines
        lines += ["", "timeline"]
        lines += entries.map { Self.line($0, times) }
        text = lines.map(\.safeOnTerminal).joined(separator: "\n")
    }

    private static func cells(_ item: Item) -> [String] {
        let isSwap = item.status == .substituteProposed || item.status == .substituted
        let substitute = isSwap ? item.substitute.map { " → \($0.name)" } ?? "" : ""
        return [
            "", item.id.rawValue, "\(item.foundQuantity) of \(item.quantity)", item.name,
            item.status.rawValue + substitute,
        ]
    }

    private static func line(_ entry: TimelineBody.Entry, _ times: StoreTimes) -> String {
        "  \(times.text(entry.at, withSeconds: true))  v\(entry.version)  \(entry.kind): \(entry.what)  by \(entry.by)"
            + (entry.reason.map { " (\($0))" } ?? "") + entry.reportText(times)
    }
}

extension Address {
    /// On one line, as on an envelope, with what opens the street door.
    fileprivate var line: String {
        let place = [postalCode, city].compactMap(\.self).joined(separator: " ")
        let parts = [street, floor, place.isEmpty ? nil : place, doorCode.map { "door code \($0)" }]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
