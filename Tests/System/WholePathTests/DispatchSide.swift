import Foundation
import LiveActivity
import Messages
import OrderDomain

@testable import ActivityDispatch

/// `activity-dispatch` for one customer with several devices.
struct DispatchSide {
    private let customer: CustomerID
    private(set) var activities: [ActivityID: Activity] = [:]
    private(set) var summary: Summary
    /// The timer at which the next delivery begins to count in the summary.
    private var summaryDueAt: Date?
    private(set) var devices: [DispatchedDevice]

    init(customer: CustomerID, devices: Int, now: Date) {
        self.customer = customer
        summary = Summary(customer: customer)
        self.devices = (1...devices).map { DispatchedDevice(number: $0, customer: customer, now: now) }
    }

    var faults: [String] { devices.flatMap(\.faults) }

    /// What the customer should see of an activity.
    func wanted(_ id: ActivityID) -> ActivityStep? { activities[id]?.wanted }

    /// Applies an intent: one transaction.
    mutating func apply(_ intent: Intent, at now: Date, newID: () -> UUID) {
        var changed: [ActivityID] = []
        if activities[intent.activity]?.advance(to: intent.step) ?? true {
            activities[intent.activity] = activities[intent.activity] ?? Activity(intent)
            changed.append(intent.activity)
        }
        var newest = NewestEpisodes()
        for activity in activities.values where activity.delivery == intent.delivery {
            if let delivery = activity.delivery { newest.insert(activity.id, of: delivery) }
        }
        for ended in newest.endsOfFormer(among: activities.values.filter { !$0.isEnded }, at: now) {
            activities[ended.id] = ended
            changed.append(ended.id)
        }
        if !changed.isEmpty { fanOut(changed, at: now, newID: newID) }
    }

    /// Fires the timer of the summary, in one transaction with what it changes.
    mutating func fireTimers(at now: Date, newID: () -> UUID) {
        guard let dueAt = summaryDueAt, dueAt <= now else { return }
        summaryDueAt = nil
        fanOut([], at: now, newID: newID)
    }

    /// Reconciles a device.
    mutating func reconcile(_ device: Int, at now: Date, newID: () -> UUID) throws {
        try devices[device].reconcile(activities, at: now, newID: newID)
    }

    /// Has every card compared with what is wanted, as a resync does.
    mutating func republish(at now: Date) {
        for index in devices.indices { devices[index].makeDue(at: now) }
    }

    /// Fans changed wanted states out: to the summary, missing cards and due devices.
    private mutating func fanOut(_ changed: [ActivityID], at now: Date, newID: () -> UUID) {
        var changed = changed
        let shown = activities.values.sorted { $0.id < $1.id }.compactMap { activity -> ShownActivity? in
            guard !activity.isSummary, case .show(let shown) = activity.wanted else { return nil }
            return shown
        }
        // Without a live one the next is made from the episode alone, as it is read from the database.
        summary = Summary(
            customer: customer, episode: summary.episode, activity: summary.activity.flatMap { $0.isEnded ? nil : $0 })
        let isChanged = summary.update(from: shown, now: now)
        if let next = Summary.nextStart(shown, now: now), shown.count >= Summary.startsAt { summaryDueAt = next }
        if isChanged, let activity = summary.activity {
            activities[activity.id] = activity
            changed.append(activity.id)
        }
        guard !changed.isEmpty else { return }
        let live = changed.sorted().compactMap { activities[$0] }.filter { !$0.isEnded }
        for index in devices.indices { devices[index].fanOut(live, at: now, newID: newID) }
    }
}
