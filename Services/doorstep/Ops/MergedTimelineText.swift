import CommandOutput
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import StackClient

/// A merged timeline as lines to print: events in time order, the state of the cards, and a diagnosis.
struct MergedTimelineText {
    let lines: [String]

    private struct Event {
        let at: Date
        let peer: Peer
        let text: String
    }

    /// - Parameter now: domain time.
    init(_ timeline: MergedTimeline, id: String, now: Date) {
        let delivery = timeline.orders.body?.delivery
        let timeZone = delivery.flatMap { TimeZone(identifier: $0.store.timeZone) } ?? .gmt
        var lines = [Self.title(delivery, id: id, timeZone: timeZone)]
        lines += Self.missingParts(timeline)
        lines += ["", "what happened"]
        let width = Peer.allCases.map(\.rawValue.count).max() ?? 0
        for event in Self.events(timeline, timeZone: timeZone) {
            let peer = event.peer.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
            lines.append("  \(event.at.clock(in: timeZone, withSeconds: true))  \(peer)  \(event.text)")
        }
        lines += Self.cards(timeline, timeZone: timeZone)
        let phones = PhoneText(timeline.phones, now: now, timeZone: timeZone).lines
        if !phones.isEmpty { lines += ["", "phones"] + phones }
        let diagnosis = Diagnosis(timeline, id: id, now: now, timeZone: timeZone)
        lines += ["", diagnosis.sentence]
        if let advice = diagnosis.advice { lines.append("→ \(advice)") }
        self.lines = lines.map(\.safeOnTerminal)
    }

    private static func title(_ delivery: DeliveryBody?, id: String, timeZone: TimeZone) -> String {
        guard let delivery else { return "delivery \(id) · times are UTC" }
        let bag = delivery.bag.count > 1 ? " · bag \(delivery.bag.number) of \(delivery.bag.count)" : ""
        let place = "\(delivery.store.name) · customer \(delivery.customer?.rawValue ?? "–")"
        return "\(delivery.reference)\(bag) · \(place) · times are \(timeZone.identifier)"
    }

    private static func missingParts(_ timeline: MergedTimeline) -> [String] {
        func line<Body>(_ answer: PeerAnswer<Body>, _ missing: String) -> String? {
            guard case .unavailable(let reason) = answer else { return nil }
            return "! \(missing) missing here: \(reason)"
        }
        return [
            line(timeline.orders, "the status and its timeline are"),
            line(timeline.estimate, "the estimate and the milestones are"),
            line(timeline.activities, "the cards and pushes are"),
        ].compactMap(\.self)
    }

    private static func events(_ timeline: MergedTimeline, timeZone: TimeZone) -> [Event] {
        var events: [Event] = []
        for entry in timeline.orders.body?.entries ?? [] {
            let reason = entry.reason.map { " (\($0))" } ?? ""
            events.append(
                Event(
                    at: entry.at, peer: .orders,
                    text: "v\(entry.version) \(entry.kind): \(entry.what), by \(entry.by)\(reason)"))
        }
        if let estimate = timeline.estimate.body {
            events += estimate.milestones.map {
                Event(at: $0.at, peer: .courierETA, text: "noticed: \($0.milestone.rawValue)")
            }
            if let newest = estimate.estimate {
                let isShown = estimate.published == newest ? "" : ", not worth showing yet"
                events.append(
                    Event(
                        at: newest.madeAt, peer: .courierETA,
                        text: "expects it \(newest.text(in: timeZone))\(isShown)"))
            }
            if let lastFixAt = estimate.lastFixAt {
                events.append(Event(at: lastFixAt, peer: .courierETA, text: "last heard of the courier's phone"))
            }
        }
        for activity in timeline.activities.body ?? [] {
            events += (activity.timeline ?? []).map { Event(at: $0.at, peer: .activityDispatch, text: $0.text) }
        }
        // Events of one service at the same time keep that service's order.
        return events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private static func cards(_ timeline: MergedTimeline, timeZone: TimeZone) -> [String] {
        guard let activities = timeline.activities.body else { return [] }
        var lines = ["", "cards"]
        for activity in activities {
            let wanted = activity.wanted
            let kind = wanted.isEnd ? "ended" : "shown"
            lines.append("  \(activity.id): wanted \(kind) at \(wanted.content.revision.text)")
            lines.append("    it says: \(wanted.content.text(in: timeZone))")
            lines += activity.cards.map { "    \($0.text(in: timeZone))" }
            if activity.cards.isEmpty { lines.append("    on no device") }
        }
        if activities.isEmpty { lines.append("  no activity yet") }
        return lines
    }
}

extension GroceryDeliveryAttributes.ContentState {
    /// What a customer reads, on one line: `Mira is on the way · arrives 18:24 to 18:31 · 2 stops before you`.
    fileprivate func text(in timeZone: TimeZone) -> String {
        let words = Words(locale: "en")
        let times = arrival.map { window in
            [window.from, window.to].map { Date(timeIntervalSince1970: TimeInterval($0)).clock(in: timeZone) }
        }
        let parts = [
            words.text(headline, timeZone: timeZone.identifier), times.map { "arrives \($0[0]) to \($0[1])" },
            detail.map { words.text($0, timeZone: timeZone.identifier) },
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }
}

extension Estimate {
    /// The point and its window: `18:24 (18:20 to 18:31)`.
    func text(in timeZone: TimeZone) -> String {
        let window = "\(earliest.clock(in: timeZone)) to \(latest.clock(in: timeZone))"
        return "\(arrivesAt.clock(in: timeZone)) (\(window))"
    }
}

extension ActivityTimelineEntryBody {
    fileprivate var text: String {
        if kind == "override" {
            let why = reason.map { " (\($0))" } ?? ""
            return "\(what) by \(by ?? "an operator")\(why)"
        }
        var parts = ["\(kind) \(what)"]
        if let device { parts.append("to \(device)") }
        if let revision { parts.append("of \(revision.text)") }
        if let alert { parts.append("with alert \(alert.split(separator: "/").dropFirst().joined(separator: "/"))") }
        if let priority { parts.append("at priority \(priority)") }
        return parts.joined(separator: " ") + ": " + (result ?? "no answer yet")
    }
}

extension CardBody {
    fileprivate func text(in timeZone: TimeZone) -> String {
        let shown = confirmed.map { "confirmed \($0.text)" } ?? assumedShown.map { "assumed to show \($0.text)" }
        let because: String? = isBehind || cannotShow ? why.map { "because \($0)" } : nil
        let parts: [String?] = [
            "\(device) (\(transport)): \(state)", sent.map { "sent \($0.text)" } ?? "nothing sent",
            answered.map { "answered \($0)" }, shown, connection(in: timeZone), isBehind ? "behind" : nil, because,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private func connection(in timeZone: TimeZone) -> String? {
        if isConnected == true { return "connected" }
        if let lastConnectedAt { return "last connected \(lastConnectedAt.clock(in: timeZone))" }
        return transport == "stream" ? "never connected" : nil
    }

    /// Whether the device is to blame, and not the system.
    private var cannotShow: Bool {
        reason?.isOfDevice == true && (state == "waiting" || state == "active")
    }
}
