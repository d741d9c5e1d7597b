package import DoorstepAPI
import Foundation
package import OrderDomain

/// The identity of an event for the shop: two events with the same mark have the same meaning.
package struct EventMark: Hashable, Sendable, CustomStringConvertible {
    package let delivery: DeliveryID
    package let version: Int
    package let type: WebhookEventType

    package var description: String { "\(delivery) v\(version) \(type)" }
}

extension EventMark {
    package init(_ body: WebhookEventBody) {
        self.init(delivery: body.data.id, version: body.data.version, type: body.type)
    }
}

extension TimelineBody {
    /// The events that a shop is to get of what the timeline has: one for each status that a version reached, or that
    /// something else changed.
    package var events: Set<EventMark> {
        var reached: [Int: Set<StatusCode>] = [:]
        for entry in entries { reached[entry.version, default: []].formUnion(entry.reached) }
        var events: Set<EventMark> = []
        for (version, codes) in reached {
            if codes.isEmpty { events.insert(EventMark(delivery: delivery, version: version, type: .changed)) }
            for code in codes {
                events.insert(
                    EventMark(delivery: delivery, version: version, type: WebhookEventType(reached: code)))
            }
        }
        return events
    }
}

extension TimelineBody.Entry {
    /// The statuses reached in its text: `DASHER_CONFIRMED: placed/unassigned → placed/assigned` is `assigned`.
    fileprivate var reached: [StatusCode] {
        if kind == "placed" { return [.placed] }
        if kind == "courier" { return what.hasPrefix("nobody → ") ? [.assigned] : [] }
        guard ["status", "report", "milestone"].contains(kind) else { return [] }
        let sides = what.components(separatedBy: " → ")
        guard sides.count == 2 else { return [] }
        let former = Self.codes(in: sides[0].split(separator: " ").last)
        let present = Self.codes(in: sides[1].split(separator: ",").first)
        return present.enumerated()
            .filter { $0.offset >= former.count || former[$0.offset] != $0.element }.map(\.element)
    }

    private static func codes(in text: Substring?) -> [StatusCode] {
        (text ?? "").split(separator: "/").compactMap { StatusCode(rawValue: String($0)) }
    }
}
