import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

extension DeliveryBody {
    /// The delivery and its timeline as lines to print.
    ///
    /// - Parameters:
    ///   - contacts: the numbers to call; nil for a reader who gets none.
    ///   - now: domain time.
    func text(_ entries: [TimelineBody.Entry], contacts: ContactsBody.Row? = nil, now: Date) -> String {
        let times = StoreTimes(timeZone: store.timeZone, now: now)
        let bag = bag.count > 1 ? " · bag \(bag.number) of \(bag.count)" : ""
        var lines = ["\(reference)\(bag) · \(store.name) · times are \(times.zoneName)"]
        lines += NamedValues(values(times, contacts), nameColumnsMin: 9).lines
        lines += ["", "items"]
        lines += Table(["", "ID", "PICKED", "ITEM", "STATE"], items.map(\.cells)).lines
        lines += ["", "timeline"]
        lines += entries.map { "  \(times.text($0.at, withSeconds: true))  v\($0.version)  \($0.text(times))" }
        return lines.map(\.safeOnTerminal).joined(separator: "\n")
    }

    private func values(_ times: StoreTimes, _ contacts: ContactsBody.Row?) -> [(name: String, text: String?)] {
        let statusText = [status.text, courierStatus?.text].compactMap(\.self).joined(separator: ", ")
        let allowed = allowed.map(\.rawValue).joined(separator: ", ")
        let carrier = contacts?.carrier?.text ?? ""
        return [
            ("status", "\(statusText), version \(version)"), ("reason", reason),
            ("feedback", feedback.map { $0.text + ($0.settledAt.map { ", settled \(times.text($0))" } ?? "") }),
            ("flags", flags.isEmpty ? "none" : flags.text),
            ("customer", customer?.rawValue ?? "–"),
            ("recipient", recipient.map { $0.name + (contacts?.customer?.text ?? "") }),
            ("address", address?.line), ("note", note), ("asked for", requestedAddress?.line),
            ("to do", correctionsDue.map { $0.map(\.text).joined(separator: ", ") }),
            ("courier", courier.map { "\($0.name) (\($0.id))" + (contacts?.courier?.text ?? "") } ?? "nobody"),
            (
                "hand-over",
                fetchedFrom.map { "\(courier?.name ?? "the courier") fetches it from \($0.name) (\($0.id))\(carrier)" }
            ),
            ("proofs", proofs?.text(times)),
            ("undecided", undecidedSince.map { "since \(times.text($0))" }),
            ("handed over", handedOverAt.map { "since \(times.text($0)), to be confirmed" }),
            ("promise", times.text(from: promise.start, to: promise.end)),
            ("activity", "\(activity), written by \(holder.rawValue)"),
            ("next", allowed.isEmpty ? "nothing" : allowed),
        ]
    }
}

extension ContactsBody.Person {
    /// The number behind a name, and the link that calls it.
    fileprivate var text: String { ", \(phone)" + (url.map { " (\($0))" } ?? "") }
}

extension Item {
    fileprivate var cells: [String] {
        let substitute = substituteText.map { " → \($0)" } ?? ""
        return ["", id.rawValue, "\(pickedQuantity) of \(quantity)", name, stateText + substitute]
    }
}

extension Address {
    /// On one line, as on an envelope, with the code of the street door.
    fileprivate var line: String {
        let place = [postalCode, city].compactMap(\.self).joined(separator: " ")
        let parts = [street, floor, place.isEmpty ? nil : place, doorCode.map { "door code \($0)" }]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
