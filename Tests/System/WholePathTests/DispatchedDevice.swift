import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain

@testable import ActivityDispatch

/// One device on the `stream` transport, as `activity-dispatch` stores it: its cards and the events of its stream.
struct DispatchedDevice {
    /// A card's newest event, as the device's stream stores it.
    private struct StoredEvent {
        let event: DeviceEvent
        let push: Push
        let dismissedAt: Date?
    }

    private var device: Device
    private(set) var cards: [Card] = []
    /// When one of its cards is next to be looked at; nil until something changes.
    private(set) var dueAt: Date?
    private(set) var reconciledAt: Date
    private(set) var faults: [String] = []
    private var lastEventID = 0
    /// One for each card: a newer event replaces the older.
    private var events: [UUID: StoredEvent] = [:]
    private var pushedAt: [UUID: Date] = [:]

    init(number: Int, customer: CustomerID, now: Date) {
        device = Device(
            id: DeviceID(rawValue: "phone-\(number)").unsafelyUnwrapped, customer: customer, transport: .stream,
            locale: "en", timeZone: "Europe/Copenhagen", isEnabled: true, allowsFrequentPushes: true, appVersion: nil,
            pushToStartToken: nil, registeredAt: now, starts: TokenBucket(Limits.stream.starts, at: now))
        reconciledAt = now
    }

    /// Inserts the cards that it lacks of live activities that changed, and makes it due.
    mutating func fanOut(_ activities: [Activity], at now: Date, newID: () -> UUID) {
        for missing in missingCards(of: activities, on: device, cards: cards) {
            cards.append(
                Card(
                    id: newID(), activity: missing.activity.id, device: device.id, replaces: missing.replaces,
                    urgentPushes: TokenBucket(Limits.stream.urgentPushes, at: now)))
        }
        makeDue(at: now)
    }

    mutating func makeDue(at now: Date) { dueAt = min(dueAt ?? now, now) }

    /// Reconciles it: the push is the insert of its event, so all of it is one transaction.
    mutating func reconcile(_ activities: [ActivityID: Activity], at now: Date, newID: () -> UUID) throws {
        let open = cards.compactMap { card -> ActivityCard? in
            guard card.state == .waiting || card.state == .ended || card.state.isOnScreen else { return nil }
            return activities[card.activity].map { ActivityCard(activity: $0, card: card) }
        }
        var reconciliation = DeviceReconciliation(device: device, cards: open, limits: .stream, now: now)
        reconciliation.run(leased: [], newID: newID) { _ in .accepted() }
        device = reconciliation.device
        for one in reconciliation.cards {
            if let index = cards.firstIndex(where: { $0.id == one.card.id }) {
                cards[index] = one.card
            } else {
                cards.append(one.card)
            }
        }
        for push in reconciliation.pushes { try upsertEvent(push, at: now) }
        dueAt = reconciliation.dueAt
        reconciledAt = now
    }

    /// What the stream sends a reader who has received everything up to an id, as the bytes that go over the wire.
    func stream(after id: Int, at now: Date) -> [(id: Int, data: Data)] {
        let stored = events.values.map { stored in
            DeviceEvent(
                id: stored.event.id, startID: stored.event.startID, isEnd: stored.event.isEnd,
                data: stored.event.data, startData: stored.event.startData,
                isDismissed: stored.dismissedAt.map { $0 <= now } ?? false)
        }
        return DeviceEvent.sent(stored.filter { $0.id > id }, after: id).map { ($0.id, Data($0.data.utf8)) }
    }

    private mutating func upsertEvent(_ push: Push, at now: Date) throws {
        if let last = events[push.card], push.timestamp <= last.push.timestamp {
            faults.append("a timestamp did not rise")
        }
        if let last = pushedAt[push.card], push.event != .end, now.timeIntervalSince(last) < 1 {
            faults.append("two pushes to one card within a second")
        }
        pushedAt[push.card] = now
        lastEventID = DeviceEvent.nextID(after: lastEventID, at: now)
        events[push.card] = StoredEvent(
            event: .init(
                id: lastEventID, startID: events[push.card]?.event.startID ?? lastEventID,
                isEnd: push.event == .end, data: try push.event(push.payload, delivery: nil),
                startData: try push.event(push.payloadAsStart, delivery: nil), isDismissed: false),
            push: push, dismissedAt: push.dismissal.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
}
