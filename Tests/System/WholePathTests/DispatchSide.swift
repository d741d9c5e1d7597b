import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import ServiceRuntime

@testable import ActivityDispatch

/// What `activity-dispatch` keeps of one customer with one device on the `stream` transport.
struct DispatchSide {
    /// A card's newest event, as the device's stream keeps it.
    private struct Kept {
        let row: DeviceStream.Row
        let push: Push
        let dismissedAt: Date?
    }

    private var activities: [ActivityID: Activity] = [:]
    private var device: Device
    private var cards: [Card] = []
    private var sequence = 0
    /// One a card: a newer event takes the place of the older.
    private var events: [UUID: Kept] = [:]
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

    /// Takes an intent: one transaction.
    mutating func take(_ intent: Intent, at now: Date, newID: () -> UUID) {
        if var known = activities[intent.activity] {
            guard known.want(intent.step) else { return }
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

    /// One look at the device: the push is the insert of its event, so all of it is one transaction.
    ///
    /// - Returns: when to look again.
    @discardableResult
    mutating func look(at now: Date, newID: () -> UUID) throws -> Date? {
        let placed = cards.compactMap { card -> Placed? in
            guard card.state == .waiting || card.state.isOnScreen else { return nil }
            return activities[card.activity].map { Placed(activity: $0, card: card) }
        }
        var round = DeviceRound(device: device, placed: placed, limits: .stream, now: now)
        round.run(inFlight: [], newID: newID) { _ in .taken }
        device = round.device
        for one in round.placed {
            if let index = cards.firstIndex(where: { $0.id == one.card.id }) {
                cards[index] = one.card
            } else {
                cards.append(one.card)
            }
        }
        for push in round.pushes { try keep(push, at: now) }
        return round.dueAt
    }

    /// What the stream sends a reader who has everything up to an id, as the bytes that go over the wire.
    func stream(after id: Int, at now: Date) -> [(id: Int, data: Data)] {
        let rows = events.values.map { kept in
            DeviceStream.Row(
                sequence: kept.row.sequence, startSequence: kept.row.startSequence, isEnd: kept.row.isEnd,
                data: kept.row.data, startData: kept.row.startData,
                isDismissed: kept.dismissedAt.map { $0 <= now } ?? false)
        }
        return DeviceStream.events(rows.filter { $0.sequence > id }, after: id).compactMap { event in
            event.id.flatMap { Int($0) }.map { ($0, Data(event.data.utf8)) }
        }
    }

    private mutating func keep(_ push: Push, at now: Date) throws {
        if let last = events[push.card], push.timestamp <= last.push.timestamp {
            faults.append("a timestamp did not rise")
        }
        if let last = pushedAt[push.card], push.event != .end, now.timeIntervalSince(last) < 1 {
            faults.append("two pushes to one card within a second")
        }
        pushedAt[push.card] = now
        sequence += 1
        events[push.card] = Kept(
            row: .init(
                sequence: sequence, startSequence: events[push.card]?.row.startSequence ?? sequence,
                isEnd: push.event == .end, data: try push.event(push.payload, delivery: nil),
                startData: try push.event(push.payloadAsStart, delivery: nil), isDismissed: false),
            push: push, dismissedAt: push.dismissal.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
}
