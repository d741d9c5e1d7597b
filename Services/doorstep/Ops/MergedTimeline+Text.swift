import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

extension MergedTimeline {
    /// The timeline as lines to print: events in time order, the state of the cards, and a diagnosis.
    ///
    /// - Parameters:
    ///   - contacts: the numbers to call; nil where they were not read.
    ///   - now: domain time.
    func lines(id: String, contacts: ContactsBody.Row? = nil, now: Date) -> [String] {
        let times = StoreTimes(timeZone: timeZone, now: now)
        var lines = [title(id: id)]
        lines += missingParts.map { "! \($0)" }
        lines += ["", "what happened"] + eventLines(times)
        lines += cardLines(times)
        let phones = phones.lines(now: now, timeZone: timeZone)
        if !phones.isEmpty { lines += ["", "phones"] + phones }
        let diagnosis = Diagnosis(self, now: now, timeZone: timeZone)
        lines += ["", diagnosis.sentence]
        if let advice = diagnosis.advice {
            lines.append("→ " + advice.text { $0.command(for: id, contacts: contacts) })
        }
        return lines.map(\.safeOnTerminal)
    }

    private func title(id: String) -> String {
        guard let delivery = orders.body?.delivery else { return "delivery \(id) · times are UTC" }
        let bag = delivery.bag.count > 1 ? " · bag \(delivery.bag.number) of \(delivery.bag.count)" : ""
        let door = [delivery.recipient?.name, delivery.address?.street].compactMap(\.self).joined(separator: ", ")
        let place =
            "\(delivery.store.name) · \(door.isEmpty ? "" : door + " · ")customer \(delivery.customer?.rawValue ?? "–")"
        return "\(delivery.reference)\(bag) · \(place) · times are \(timeZone.identifier)"
    }

    private func eventLines(_ times: StoreTimes) -> [String] {
        let width = TimelineEvent.Source.allCases.map(\.rawValue.count).max() ?? 0
        return events(times).map { event in
            let source = event.source.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
            return "  \(times.text(event.at, withSeconds: true))  \(source)  \(event.text)"
        }
    }

    private func cardLines(_ times: StoreTimes) -> [String] {
        guard let activities = activities.body else { return [] }
        let lines = activities.map { ActivityOverview($0, times) }.flatMap { activity in
            ["  \(activity.id): \(activity.wanted)", "    it says: \(activity.content)"]
                + (activity.cards.isEmpty ? ["on no device"] : activity.cards).map { "    \($0)" }
        }
        return ["", "cards"] + (lines.isEmpty ? ["  no activity yet"] : lines)
    }
}
