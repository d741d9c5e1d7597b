import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import ServiceRuntime

@testable import ActivityDispatch

/// `activity-dispatch` for one customer with one device on the `stream` transport.
struct DispatchSide {
    /// A card's newest event, as the device's stream stores it.
    private struct StoredEvent {
        let event: DeviceStream.CardEvent
        let push: Push
        let dismissedAt: Date?
    }

    private var activities: [ActivityID: Activity] = [:]
    private var device: Device
    private var cards: [Card] = []
    private var lastEventID = 0
    /// One for each card: a newer event replaces the older.
    private var events: [UUID: StoredEvent] = [:]
    private(set) var faults: [String] = []
    private var pushedAt: [UUID: Date] = [:]

    init(customer: CustomerID, now: Date) {
        device = Device(
            id: DeviceID(rawValue: "phone").unsafelyUnwrapped, customer: customer, transport: .stream, locale: "en",
            timeZone: "Europe/Copenhagen", isEnabled: true, allowsFrequentPushes: true, appVersion: nil,
            pushToStartToken: nil, registeredAt: now, starts: TokenBucket(Limits.stream.starts, at: now))
    }

    /// What the customer should see of an activity.
    func wanted(_ id: ActivityID) -> ActivityStep? { activities[id]?.wanted }

    /// Applies an intent: one transaction.
    mutating func apply(_ intent: Intent, at now: Date, newID: () -> UUID) {
        if var known = activities[intent.activity] {
            guard known.advance(to: intent.step) else { return }
            activities[intent.activity] = known
        } else {
            activities[intent.activity] = Activity(intent)
        }
        let all = activities.values.sorted { $0.id < $1.id }
        for missing in missingCards(of: all, on: device, cards: cards) {
            cards.append(
                Card(
                    id: newID(), activity: missing.activity.id, device: device.id, replaces: missing.replaces,
                    urgentPushes: TokenBucket(Limits.stream.urgentPushes, at: now)))
        }
    }

    /// Reconciles the device: the push is the insert of its event, so all of it is one transaction.
    ///
    /// - Returns: when the device is due again.
    @discardableResult
    mutating func reconcile(at now: Date, newID: () -> UUID) throws -> Date? {
        let open = cards.compactMap { card -> ActivityCard? in
            guard card.state == .waiting || card.state.isOnScreen else { return nil }
            return activities[card.activity].map { ActivityCard(activity: $0, card: card) }
        }
        var reconciliation = DeviceReconciliation(device: device, cards: open, limits: .stream, now: now)
        reconciliation.run(leased: [], newID: newID) { _ in .taken }
        device = reconciliation.device
        for one in reconciliation.cards {
            if let index = cards.firstIndex(where: { $0.id == one.card.id }) {
                cards[index] = one.card
            } else {
                cards.append(one.card)
            }
        }
        for push in reconciliation.pushes { try upsertEvent(push, at: now) }
        return reconciliation.dueAt
    }

    /// What the stream sends a reader who has received everything up to an id, as the bytes that go over the wire.
    func stream(after id: Int, at now: Date) -> [(id: Int, data: Data)] {
        let stored = events.values.map { stored in
            DeviceStream.CardEvent(
                id: stored.event.id, startID: stored.event.startID, isEnd: stored.event.isEnd,
                data: stored.event.data, startData: stored.event.startData,
                isDismissed: stored.dismissedAt.map { $0 <= now } ?? false)
        }
        return DeviceStream.events(stored.filter { $0.id > id }, after: id).compactMap { event in
            event.id.flatMap { Int($0) }.map { ($0, Data(event.data.utf8)) }
        }
    }

    private mutating func upsertEvent(_ push: Push, at now: Date) throws {
        if let last = events[push.card], push.timestamp <= last.push.timestamp {
            faults.append("a timestamp did not rise")
        }
        if let last = pushedAt[push.card], push.event != .end, now.timeIntervalSince(last) < 1 {
            faults.append("two pushes to one card within a second")
        }
        pushedAt[push.card] = now
        lastEventID += 1
        events[push.card] = StoredEvent(
            event: .init(
                id: lastEventID, startID: events[push.card]?.event.startID ?? lastEventID,
                isEnd: push.event == .end, data: try push.event(push.payload, delivery: nil),
                startData: try push.event(push.payloadAsStart, delivery: nil), isDismissed: false),
            push: push, dismissedAt: push.dismissal.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
}
