import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import WireCoding

@testable import APNsEmulator
@testable import ActivityDispatch

/// What the people order, and do with their phones.
extension Scenario {
    func setOnline(_ phone: String, _ isOnline: Bool) throws {
        try change(phone) { $0.setOnline(isOnline, at: $1) }
    }

    func killApp(_ phone: String) async throws {
        touched.insert(phone)
        try await phones.kill(phone)
    }

    func forceQuitApp(_ phone: String) async throws {
        touched.insert(phone)
        try await phones.kill(phone, isForced: true)
    }

    /// Opens an app, and does what follows.
    func launchApp(_ phone: String) async throws {
        try change(phone) { $0.launchApp(at: $1) }
        try await work()
    }

    /// Places an order for later, whose card is to start in so many seconds.
    func place(startsIn seconds: TimeInterval, for customer: String = "mira") async throws -> Int {
        guard let owner = CustomerID(rawValue: customer) else { return 0 }
        add(ScenarioOrder(DeliveryID(random.uuid()), of: owner, arrival: clock.now + seconds + 5400))
        try await move(orders.count - 1, startsIn: seconds)
        return orders.count - 1
    }

    /// Has the card of an order start in so many seconds, and does what follows.
    func move(_ order: Int, startsIn seconds: TimeInterval) async throws {
        orders[order].startAt = (clock.now + seconds).epochSeconds
        try await advance(.phase(.received, isAlert: false), of: order)
    }

    /// Leaves an app, and does what follows; then its process is ended.
    func leaveAndKillApp(_ phone: String) async throws {
        try change(phone) { $0.leaveApp(at: $1) }
        try await work()
        try await killApp(phone)
    }

    /// Has the system drop what an app has scheduled, with its tokens.
    func dropScheduled(_ phone: String) throws {
        try rotateUpdateTokens(phone)
        for card in try fleetPhone(phone).phone.activities where card.state == .pending {
            try change(phone) { $0.endFromApp(instance: card.instance, at: $1) }
        }
    }

    /// Lets an open order's card be taken off a phone.
    func excuse(_ phone: String, _ order: Int) {
        screens[phone]?.excuse([orders[order].activity.rawValue], isReported: false)
    }

    /// Swipes a phone's cards of an order away.
    func swipe(_ phone: String, _ order: Int) throws {
        try swipe(phone, activity: orders[order].activity.rawValue)
    }

    func swipe(_ phone: String, activity: String) throws {
        let now = clock.now.epochSeconds
        let before = try fleetPhone(phone).phone
        // An app that does not run, or has no network, cannot tell a swipe from a card that the system dropped.
        screens[phone]?.excuse([activity], isReported: before.isAppRunning(at: now) && before.isOnline)
        for card in before.phone.liveCards where card.attributes.activity == activity {
            try change(phone) { $0.swipe(instance: card.id, at: $1) }
        }
    }

    func switchActivities(_ phone: String, on isOn: Bool) throws {
        let shown = try fleetPhone(phone).phone.phone.liveCards.map(\.attributes.activity)
        if !isOn { screens[phone]?.excuse(Set(shown), isReported: false) }
        try change(phone) { $0.switchLiveActivities(on: isOn, at: $1) }
    }

    func switchFrequentUpdates(_ phone: String, on isOn: Bool) throws {
        // What was pushed before counts against the smaller budget.
        screens[phone]?.exhaustedUntil = clock.now + 3600
        try change(phone) { $0.switchFrequentUpdates(on: isOn, at: $1) }
    }

    func exhaust(_ phone: String, updates: Bool, starts: Bool) throws {
        screens[phone]?.exhaustedUntil = clock.now + 3600
        try change(phone) { phone, now in
            phone.exhaustBudgets(updates: updates, starts: starts, at: now)
            return []
        }
    }

    func rotateStartToken(_ phone: String) throws {
        try change(phone) { $0.rotate(.start, at: $1) }
    }

    /// Gives every card on a phone another update token.
    func rotateUpdateTokens(_ phone: String) throws {
        for card in try fleetPhone(phone).phone.phone.liveCards {
            try change(phone) { $0.rotate(.update(instance: card.id), at: $1) }
        }
    }
}
