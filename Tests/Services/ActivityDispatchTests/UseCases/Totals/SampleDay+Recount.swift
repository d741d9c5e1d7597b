import Foundation

@testable import ActivityDispatch

/// A recount by hand: loops over the rows, for each number by itself, with none of the code under test.
extension SampleDay {
    struct Group: Hashable {
        let store: String
        let day: String
        var app = ""
        var system = ""
        var transport = ""
    }

    /// Every number of every group, by the name of its column; numbers of zero are missing.
    func recounted() -> [Group: [String: Int]] {
        var all: [Group: [String: Int]] = [:]
        for delivery in deliveries {
            let day = Self.date(delivery.endedAt, delivery.zone)
            func group(_ card: SampleCard?) -> Group {
                guard let device = card?.device else { return Group(store: delivery.store, day: day) }
                return Group(
                    store: delivery.store, day: day, app: device.app == "4.2-beta" ? "other" : device.app ?? "",
                    system: device.system == "18.1.2" ? "18.1" : device.system ?? "", transport: device.transport)
            }
            let shown = delivery.cards.filter(Self.isShown)
            all[group(shown.first), default: [:]]["deliveries", default: 0] += 1
            if !shown.isEmpty { all[group(shown.first), default: [:]]["deliveries_with_card", default: 0] += 1 }
            var devices: [String] = []
            for card in delivery.cards where !devices.contains(card.device.id) {
                devices.append(card.device.id)
                all[group(card), default: [:]][Self.permission(card.device), default: 0] += 1
            }
            for card in delivery.cards {
                for (name, count) in Self.numbers(of: card, endedAt: delivery.endedAt) where count > 0 {
                    all[group(card), default: [:]][name, default: 0] += count
                }
            }
        }
        return all
    }

    /// The seconds of every shown start, and of every shown change, of cards pushed to Apple on a day of a store.
    func recountedSeconds(store: String, day: String) -> (starts: [Double], changes: [Double]) {
        var (starts, changes): ([Double], [Double]) = ([], [])
        for delivery in deliveries where delivery.store == store && Self.date(delivery.endedAt, delivery.zone) == day {
            for card in delivery.cards where card.device.transport == "apns" {
                let arrived = card.pushes.filter(Self.mayHaveArrived)
                let start = arrived.filter { $0.event == "start" }
                if let sent = start.last, let seen = start.compactMap(\.seenAt).min() {
                    starts.append(seen.timeIntervalSince(sent.sentAt))
                }
                for change in Self.changes(among: arrived) {
                    guard let seen = change.seenAt else { continue }
                    changes.append(seen.timeIntervalSince(change.wantedAt))
                }
            }
        }
        return (starts, changes)
    }

    private static func mayHaveArrived(_ push: SamplePush) -> Bool {
        push.result == nil || push.result == "taken" || push.result == "unknown"
    }

    /// A state that no push before had carried, with the reports of each of its pushes.
    private struct Change {
        let wantedAt: Date
        let sentAt: Date
        let delay: String?
        let seenAt: Date?
        let missedAt: Date?
    }

    private static func changes(among arrived: [SamplePush]) -> [Change] {
        arrived.indices.compactMap { index -> Change? in
            let first = arrived[index]
            guard first.event != "start", arrived[..<index].allSatisfy({ $0.version < first.version }),
                let wantedAt = first.wantedAt
            else { return nil }
            let same = arrived[index...].filter { $0.version == first.version }
            return Change(
                wantedAt: wantedAt, sentAt: first.sentAt, delay: first.delay, seenAt: same.compactMap(\.seenAt).min(),
                missedAt: same.compactMap(\.missedAt).max())
        }
    }

    private static func isShown(_ card: SampleCard) -> Bool {
        switch card.state {
        case "waiting", "starting": false
        case "lost":
            card.pushes.contains {
                mayHaveArrived($0) && ($0.seenAt != nil || $0.event != "start" && $0.result == "taken")
            }
        default: true
        }
    }

    private static func numbers(of card: SampleCard, endedAt: Date) -> [String: Int] {
        var numbers: [String: Int] = [:]
        let arrived = card.pushes.filter(mayHaveArrived)
        if card.device.transport == "apns" {
            if arrived.contains(where: { $0.event == "start" }) { numbers["starts"] = 1 }
            let changes = changes(among: arrived)
            numbers["changes"] = changes.count
            for change in changes {
                guard let cause = lateCause(change) else { continue }
                numbers[cause, default: 0] += 1
            }
        }
        guard let startedAt = card.startedAt else { return numbers }
        numbers["started"] = 1
        guard isShown(card) else { return numbers }
        numbers["cards"] = 1
        numbers["swiped"] = card.state == "swiped" ? 1 : 0
        let ends = card.pushes.filter { $0.event == "end" && $0.result == "taken" }
        let end = ends.first?.sentAt
        let dueAt = max(endedAt, ends.first?.wantedAt ?? endedAt)
        let isReplaced = card.state == "replaced"
        if !isReplaced, end != nil || card.state == "active" { numbers["ends"] = 1 }
        if !isReplaced, let end, end.timeIntervalSince(dueAt) <= 30 { numbers["ends_on_time"] = 1 }
        var left: Date?
        if card.state == "dismissed" || card.state == "ended", let dismissedAt = card.dismissedAt {
            left = end.map { max($0, dismissedAt) } ?? dismissedAt
        }
        if card.state == "replaced" { left = end }
        if let left {
            numbers["timed_cards"] = 1
            numbers["screen_seconds"] = max(0, Int(left.timeIntervalSince(startedAt).rounded()))
        }
        return numbers
    }

    private static func lateCause(_ change: Change) -> String? {
        func seconds(_ date: Date?) -> Double? { date?.timeIntervalSince(change.wantedAt) }
        let waited = change.sentAt.timeIntervalSince(change.wantedAt)
        let isMissed = (seconds(change.missedAt) ?? 0) > 30 && (seconds(change.seenAt) ?? 100) > 30
        guard waited > 30 || isMissed else { return nil }
        if change.delay == "budget" { return "late_budget" }
        if waited <= 5 { return "late_offline" }
        switch change.delay {
        case "throttled": return "late_throttle"
        case "start_budget": return "late_budget"
        case "no_update_token", "unconfirmed": return "late_no_token"
        default: return "late_other"
        }
    }

    private static func permission(_ device: SampleDevice) -> String {
        if device.isEnabled { return device.permission == "not_asked" ? "devices_not_asked" : "devices_allowed" }
        return switch device.permission {
        case "refused": "devices_refused"
        case "switched_off": "devices_switched_off"
        default: "devices_disallowed"
        }
    }

    private static func date(_ time: Date, _ zone: String) -> String {
        var format = Date.ISO8601FormatStyle(timeZone: TimeZone(identifier: zone) ?? .gmt)
        format = format.year().month().day()
        return time.formatted(format)
    }
}
