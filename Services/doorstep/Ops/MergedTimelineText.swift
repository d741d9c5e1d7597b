import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

/// A merged timeline as lines to print: events in time order, the state of the cards, and a diagnosis.
struct MergedTimelineText {
    let lines: [String]

    /// - Parameter now: domain time.
    init(_ timeline: MergedTimeline, id: String, now: Date) {
        let timeZone = timeline.timeZone
        let times = StoreTimes(timeZone: timeZone, now: now)
        var lines = [Self.title(timeline.orders.body?.delivery, id: id, timeZone: timeZone)]
        lines += timeline.missingParts.map { "! \($0)" }
        lines += ["", "what happened"] + Self.events(timeline, times)
        lines += Self.cards(timeline, times)
        let phones = PhoneText(timeline.phones, now: now, timeZone: timeZone).lines
        if !phones.isEmpty { lines += ["", "phones"] + phones }
        let diagnosis = Diagnosis(timeline, now: now, timeZone: timeZone)
        lines += ["", diagnosis.sentence]
        if let advice = diagnosis.advice { lines.append("→ \(advice.text { $0.command(for: id) })") }
        self.lines = lines.map(\.safeOnTerminal)
    }

    private static func title(_ delivery: DeliveryBody?, id: String, timeZone: TimeZone) -> String {
        guard let delivery else { return "delivery \(id) · times are UTC" }
        let bag = delivery.bag.count > 1 ? " · bag \(delivery.bag.number) of \(delivery.bag.count)" : ""
        let place = "\(delivery.store.name) · customer \(delivery.customer?.rawValue ?? "–")"
        return "\(delivery.reference)\(bag) · \(place) · times are \(timeZone.identifier)"
    }

    private static func events(_ timeline: MergedTimeline, _ times: StoreTimes) -> [String] {
        let width = TimelineEvent.Source.allCases.map(\.rawValue.count).max() ?? 0
        return timeline.events(times).map { event in
            let source = event.source.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
            return "  \(times.text(event.at, withSeconds: true))  \(source)  \(event.text)"
        }
    }

    private static func cards(_ timeline: MergedTimeline, _ times: StoreTimes) -> [String] {
        guard let activities = timeline.activities.body else { return [] }
        let lines = activities.map { ActivityOverview($0, times) }.flatMap { activity in
            ["  \(activity.id): wanted \(activity.wanted)", "    it says: \(activity.content)"]
                + (activity.cards.isEmpty ? ["on no device"] : activity.cards).map { "    \($0)" }
        }
        return ["", "cards"] + (lines.isEmpty ? ["  no activity yet"] : lines)
    }
}
