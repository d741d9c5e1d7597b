import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain

/// A delivery's story as lines for a person: what happened, in time order; how its cards are; what is going on.
struct StoryText {
    let lines: [String]

    private struct Event {
        let at: Date
        let peer: Peer
        let text: String
    }

    /// - Parameter now: domain time.
    init(_ story: DeliveryStory, id: String, now: Date) {
        let delivery = story.orders.body?.delivery
        let timeZone = delivery.flatMap { TimeZone(identifier: $0.store.timeZone) } ?? .gmt
        var lines = [Self.title(delivery, id: id, timeZone: timeZone)]
        lines += Self.absences(story)
        lines += ["", "what happened"]
        let width = Peer.allCases.map(\.rawValue.count).max() ?? 0
        for event in Self.events(story, timeZone: timeZone) {
            let peer = event.peer.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
            lines.append("  \(event.at.clock(in: timeZone, withSeconds: true))  \(peer)  \(event.text)")
        }
        lines += Self.cards(story)
        let diagnosis = Diagnosis(story, id: id, now: now, timeZone: timeZone)
        lines += ["", diagnosis.sentence]
        if let advice = diagnosis.advice { lines.append("→ \(advice)") }
        self.lines = lines.map(\.safeOnTerminal)
    }

    private static func title(_ delivery: DeliveryBody?, id: String, timeZone: TimeZone) -> String {
        guard let delivery else { return "delivery \(id) · times are UTC" }
        let bag = delivery.bag.count > 1 ? " · bag \(delivery.bag.number) of \(delivery.bag.count)" : ""
        let place = "\(delivery.store.name) · customer \(delivery.customer)"
        return "\(delivery.reference)\(bag) · \(place) · times are \(timeZone.identifier)"
    }

    private static func absences(_ story: DeliveryStory) -> [String] {
        func line<Body>(_ told: Told<Body>, _ lost: String) -> String? {
            guard case .silent(let why) = told else { return nil }
            return "! \(lost) missing here: \(why)"
        }
        return [
            line(story.orders, "the status and its story are"),
            line(story.estimate, "the estimate and the milestones are"),
            line(story.activities, "the cards and pushes are"),
        ].compactMap(\.self)
    }

    private static func events(_ story: DeliveryStory, timeZone: TimeZone) -> [Event] {
        var events: [Event] = []
        for entry in story.orders.body?.entries ?? [] {
            let reason = entry.reason.map { " (\($0))" } ?? ""
            events.append(
                Event(
                    at: entry.at, peer: .orders,
                    text: "v\(entry.version) \(entry.kind): \(entry.what), by \(entry.by)\(reason)"))
        }
        if let estimate = story.estimate.body {
            events += estimate.milestones.map {
                Event(at: $0.at, peer: .courierETA, text: "noticed: \($0.milestone.rawValue)")
            }
            if let newest = estimate.estimate {
                let isShown = estimate.published == newest ? "" : ", not worth showing yet"
                events.append(
                    Event(
                        at: newest.madeAt, peer: .courierETA,
                        text: "expects it \(newest.words(in: timeZone))\(isShown)"))
            }
            if let heard = estimate.lastFixAt {
                events.append(Event(at: heard, peer: .courierETA, text: "last heard of the courier's phone"))
            }
        }
        for activity in story.activities.body ?? [] {
            events += (activity.timeline ?? []).map { Event(at: $0.at, peer: .activityDispatch, text: $0.words) }
        }
        // What one service says stays in the order in which it says it.
        return events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private static func cards(_ story: DeliveryStory) -> [String] {
        guard let activities = story.activities.body else { return [] }
        var lines = ["", "cards"]
        for activity in activities {
            let wanted = activity.wanted
            let kind = wanted.isEnd ? "ended" : "shown"
            lines.append("  \(activity.id): wanted \(kind) at \(wanted.content.revision.words)")
            lines += activity.cards.map { "    \($0.words)" }
            if activity.cards.isEmpty { lines.append("    on no device") }
        }
        if activities.isEmpty { lines.append("  no activity yet") }
        return lines
    }
}

extension Messages.Estimate {
    /// The point and its window: `18:24 (18:20 to 18:31)`.
    func words(in timeZone: TimeZone) -> String {
        let window = "\(earliest.clock(in: timeZone)) to \(latest.clock(in: timeZone))"
        return "\(arrivesAt.clock(in: timeZone)) (\(window))"
    }
}

extension Revision {
    /// `v17`, and the step where the estimate's writer has spoken since.
    fileprivate var words: String { step == 0 ? "v\(version)" : "v\(version).\(step)" }
}

extension ActivityTimelineEntryBody {
    fileprivate var words: String {
        if kind == "override" {
            let why = reason.map { " (\($0))" } ?? ""
            return "\(what) by \(by ?? "an operator")\(why)"
        }
        var parts = ["\(kind) \(what)"]
        if let device { parts.append("to \(device)") }
        if let revision { parts.append("of \(revision.words)") }
        if let alert { parts.append("with alert \(alert.split(separator: "/").dropFirst().joined(separator: "/"))") }
        if let priority { parts.append("at priority \(priority)") }
        return parts.joined(separator: " ") + ": " + (result ?? "no answer yet")
    }
}

extension CardBody {
    fileprivate var words: String {
        let parts = [
            "\(device) (\(transport)): \(state)",
            sent.map { "sent \($0.words)" } ?? "nothing sent",
            answered.map { "answered \($0)" },
            assumedShown.map { "assumed to show \($0.words)" },
            isBehind ? "behind" : nil,
            isBehind ? why.map { "because \($0)" } : nil,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
