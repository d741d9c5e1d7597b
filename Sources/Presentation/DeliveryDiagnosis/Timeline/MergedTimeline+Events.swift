internal import DoorstepAPI
internal import Foundation
internal import OrderDomain
package import TimePresentation

extension MergedTimeline {
    /// The events by time; simultaneous events of one service keep that service's order.
    ///
    /// - Parameter times: the format of times in the texts.
    package func events(_ times: StoreTimes) -> [TimelineEvent] {
        let events =
            changes(times) + estimates(times)
            + (activities.body ?? []).flatMap { $0.timeline ?? [] }.map(\.event)
        return events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private func changes(_ times: StoreTimes) -> [TimelineEvent] {
        (orders.body?.entries ?? []).map { entry in
            TimelineEvent(
                at: entry.at, source: .orders, kind: .change, by: entry.by,
                text: "v\(entry.version) \(entry.text(times))")
        }
    }

    private func estimates(_ times: StoreTimes) -> [TimelineEvent] {
        guard let estimate = estimate.body else { return [] }
        func event(_ at: Date, _ kind: TimelineEvent.Kind, _ text: String) -> TimelineEvent {
            TimelineEvent(at: at, source: .courierETA, kind: kind, by: nil, text: text)
        }
        var events = estimate.milestones.map {
            event($0.at, .milestone, "detected: \($0.milestone.text)")
        }
        if let newest = estimate.estimate {
            let published = estimate.published ?? newest
            let kept = published == newest ? "" : "; \(published.text(times)) stays published until it differs more"
            events.append(event(newest.madeAt, .estimate, "estimates the arrival at \(newest.text(times))\(kept)"))
        }
        if let lastFixAt = estimate.lastFixAt {
            events.append(event(lastFixAt, .position, "received the newest position of the courier's phone"))
        }
        return events
    }
}

extension TimelineBody.Entry {
    /// The change with its actor and reason: `status: picking → cancelled, by operator ada (the customer called)`.
    package func text(_ times: StoreTimes) -> String {
        "\(kind): \(whatText), by \(by)" + (reason.map { " (\($0))" } ?? "") + reportText(times)
    }

    /// The stored change with its codes in words.
    private var whatText: String {
        switch kind {
        case "status", "report": return Self.inWords(what)
        case "milestone":
            let code = what.prefix { $0 != ":" }
            let milestone = Milestone(rawValue: String(code))?.text ?? String(code)
            return milestone + Self.inWords(String(what.dropFirst(code.count)))
        case "item": return Self.itemInWords(what)
        default: return what
        }
    }

    private static func inWords(_ text: String) -> String {
        text.replacing(/[a-z_]+/) { word in
            let code = String(word.output)
            return StatusCode(rawValue: code)?.text ?? NextStep(rawValue: code)?.text ?? CustomerReason.text(code)
        }
    }

    /// `Milk: out of stock` for `Milk: out_of_stock`; the names of items stay.
    private static func itemInWords(_ text: String) -> String {
        for range in text.ranges(of: ": ") {
            let code = text[range.upperBound...].prefix { $0.isLowercase || $0 == "_" }
            guard let status = ItemStatus(rawValue: String(code)) else { continue }
            return "\(text[..<range.upperBound])\(status.text)\(text[code.endIndex...])"
        }
        return text
    }

    /// The provider's time of the event, and why it differs from the entry's; empty for other entries.
    private func reportText(_ times: StoreTimes) -> String {
        guard source != nil else { return "" }
        let happened = occurredAt.map { "happened \(times.text($0))" } ?? "without a time from the provider"
        let marks = [isLate == true ? "late" : nil, isInferred == true ? "inferred" : nil].compactMap(\.self)
        return ([", " + happened] + marks).joined(separator: ", ")
    }
}

extension ActivityTimelineEntryBody {
    fileprivate var event: TimelineEvent {
        let isOverride = kind == "override"
        return TimelineEvent(
            at: at, source: .activityDispatch, kind: isOverride ? .override : .push, by: by,
            text: isOverride ? overrideText : pushText)
    }

    private var overrideText: String {
        let why = reason.map { " (\($0))" } ?? ""
        return "\(what) by \(by ?? "an operator")\(why)"
    }

    private var pushText: String {
        var parts = ["\(kind) \(what)"]
        if let device { parts.append("to \(device)") }
        if let revision { parts.append("of \(revision.text)") }
        if let alert { parts.append("with alert \(alert.split(separator: "/").dropFirst().joined(separator: "/"))") }
        if let priority { parts.append("at priority \(priority)") }
        return parts.joined(separator: " ") + ": " + (result.map { $0 == "taken" ? "accepted" : $0 } ?? "no answer yet")
    }
}
