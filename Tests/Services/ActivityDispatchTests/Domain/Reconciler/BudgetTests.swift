import Configuration
import FlowControl
import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("Budgets")
struct BudgetTests {
    private func due(_ count: Int, on device: Device, at now: Date = noon) -> DeviceReconciliation {
        let cards = (1...count).map { number in
            let activity = Activity(.shows(2, activity: "a\(number)", phase: .packed), id: "a\(number)")
            return ActivityCard(
                activity: activity,
                card: .any(of: activity, on: device, .active, sent: .shows(1), startedAt: noon - 60))
        }
        var run = DeviceReconciliation(device: device, cards: cards, limits: .apns, now: now)
        run.run(leased: [], newID: { UUID() }) { _ in nil }
        return run
    }

    @Test("With frequent updates switched off a card's budget is smaller, and so is its device's")
    func infrequent() {
        var device = Device.any()
        #expect(Limits.apns.on(device) == .apns)
        device.allowsFrequentPushes = false
        let limits = Limits.apns.on(device)
        #expect(limits.urgentPushes.capacity < Limits.apns.urgentPushes.capacity)
        #expect(limits.urgentPushes.secondsPerToken > Limits.apns.urgentPushes.secondsPerToken)
        #expect(limits.driftInterval == Limits.apns.infrequentDriftInterval)
        #expect(due(1, on: device).cards[0].card.urgentPushes.tokens == 3)
        #expect(due(1, on: device).device.urgentPushes?.tokens == 5)
    }

    @Test("With frequent updates switched off two of a budget are kept for alerts")
    func reserve() {
        var device = Device.any()
        device.allowsFrequentPushes = false
        func priority(_ alert: String?, card tokens: Double, device deviceTokens: Double = 6) -> Decision.Priority? {
            device.urgentPushes = TokenBucket(tokens: deviceTokens, countedAt: noon)
            let activity = Activity(.shows(2, phase: .packed, alert: alert))
            var card = Card.any(of: activity, on: device, .active, sent: .shows(1), startedAt: noon - 60)
            card.urgentPushes = TokenBucket(tokens: tokens, countedAt: noon)
            var run = DeviceReconciliation(
                device: device, cards: [ActivityCard(activity: activity, card: card)], limits: .apns, now: noon)
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            #expect((run.pushes.first?.priority == .low) == (run.budgetExhausted == 1))
            return run.pushes.first?.priority
        }
        #expect(priority(nil, card: 3) == .high && priority(nil, card: 2) == .low)
        #expect(priority("left", card: 2) == .high && priority("left", card: 1) == .high)
        #expect(priority("left", card: 0) == .low)
        #expect(priority(nil, card: 4, device: 2) == .low && priority("left", card: 4, device: 2) == .high)
        device.allowsFrequentPushes = true
        #expect(priority(nil, card: 1, device: 1) == .high)
    }

    @Test("A device's cards share its budget; what is beyond it goes at priority 5, and is counted")
    func perDevice() {
        var device = Device.any()
        device.urgentPushes = TokenBucket(tokens: 2, countedAt: noon)
        let run = due(5, on: device)
        #expect(run.pushes.map(\.priority) == [.high, .high, .low, .low, .low])
        #expect(run.budgetExhausted == 3 && run.device.urgentPushes?.tokens == 0)
    }

    @Test("An end waits for no budget, and what it costs its device is there for no update")
    func ends() throws {
        var device = Device.any()
        device.urgentPushes = TokenBucket(tokens: 1, countedAt: noon)
        let activity = Activity(.ends(2, at: noon))
        let card = Card.any(of: activity, on: device, .active, sent: .shows(1), startedAt: noon - 60)
        func end(_ device: Device) throws -> (push: Push, device: Device) {
            var run = DeviceReconciliation(
                device: device, cards: [ActivityCard(activity: activity, card: card)], limits: .apns, now: noon)
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            return (try #require(run.pushes.first), run.device)
        }
        let first = try end(device)
        #expect(first.push.event == .end && first.push.priority == .high && first.device.urgentPushes?.tokens == 0)
        let second = try end(first.device)
        #expect(second.push.priority == .high && second.device.urgentPushes?.tokens == 0)
        var refused = first.device
        refused.record(first.push, .notSent("no connection"), hadSlot: true, now: noon)
        #expect(refused.urgentPushes?.tokens == 1)
    }

    @Test("What was not sent costs the device nothing")
    func refunded() throws {
        var run = due(1, on: .any())
        let push = try #require(run.pushes.first)
        var device = run.device
        #expect(device.urgentPushes?.tokens == 29)
        device.record(push, .notSent("no connection"), hadSlot: false, now: noon)
        #expect(device.urgentPushes?.tokens == 30)
        device = run.device
        device.record(push, .unknown("reset"), hadSlot: false, now: noon)
        #expect(device.urgentPushes?.tokens == 29)
        run = due(1, on: device)
        #expect(run.device.urgentPushes?.tokens == 28)
    }

    @Test("A card that replaces another has its budget and remembers its alerts")
    func survivesRollOver() throws {
        let device = Device.any()
        let activity = Activity(.shows(1, alert: "left"))
        var old = Card.any(of: activity, on: device, .active, sent: .shows(1), startedAt: noon)
        old.urgentPushes = TokenBucket(tokens: 0, countedAt: noon + 7.5 * 3600)
        old.alertedIDs = ["left"]
        var run = DeviceReconciliation(
            device: device, cards: [ActivityCard(activity: activity, card: old)], limits: .apns,
            now: noon + 7.5 * 3600)
        run.run(leased: [], newID: { UUID() }) { _ in nil }
        let new = try #require(run.cards.last?.card)
        #expect(new.replaces == old.id && new.alertedIDs == ["left"] && new.urgentPushes.tokens == 0)
        #expect(run.pushes.map(\.event) == [.start] && run.pushes[0].alert == nil)
    }

    @Test("Budgets are read from the settings")
    func settings() throws {
        let defaults = try Limits.apns(reading: ConfigReader(provider: InMemoryProvider(values: [:])))
        #expect(defaults == .apns)
        let read = try Limits.apns(
            reading: ConfigReader(
                provider: InMemoryProvider(values: [
                    "budgets.cardHour": 60, "budgets.deviceHourInfrequent": 2, "budgets.starts": 3,
                ])))
        #expect(read.urgentPushes == .init(capacity: 60, secondsPerToken: 60))
        #expect(read.infrequentDeviceUrgentPushes == .init(capacity: 2, secondsPerToken: 1800))
        #expect(read.starts.capacity == 3)
    }
}
