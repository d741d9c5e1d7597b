import FlowControl
import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("Pushes that are refused as our mistake")
struct MistakenPushTests {
    private let mistake = PushResult(
        status: 400, reason: "BadPriority", retryAfter: nil, since: nil, token: "cd")

    private func decision(
        _ step: ActivityStep, _ card: Card, _ device: Device = .any(), at now: Date = noon + 20
    ) -> Decision {
        decide(Activity(step), card, on: device, others: [], limits: .apns, now: now)
    }

    /// A card of which this push was refused so.
    private func card(
        _ state: Card.State = .active, afterRefusalOf decision: Decision, _ step: ActivityStep
    ) throws -> Card {
        var card = Card.any(of: Activity(step), on: .any(), state, sent: .shows(1), startedAt: noon)
        let lease = card.lease(decision, step, limits: .apns, now: noon)
        _ = card.record(try #require(lease), mistake, now: noon)
        return card
    }

    @Test("The same state waits a quarter of an hour; a newer one and the end go at once")
    func update() throws {
        let refused = ActivityStep.shows(2, phase: .packed)
        var card = try card(afterRefusalOf: .update(.high, alert: nil), refused)
        #expect(decision(refused, card) == .wait(until: noon + 900, .retrying))
        #expect(decision(refused, card, at: noon + 900) == .update(.high, alert: nil))
        #expect(decision(.shows(3, phase: .onTheWay), card) == .update(.high, alert: nil))
        #expect(decision(.shows(2, 1, phase: .onTheWay), card) == .update(.high, alert: nil))
        guard case .end = decision(.ends(2, at: noon), card) else {
            Issue.record("The end waits")
            return
        }
        card.mustEnd = true
        #expect(decision(refused, card) == .end(dismissal: 0, becomes: .dismissed, alert: nil))
    }

    @Test("An end waits a quarter of an hour, unless a newer one is wanted")
    func end() throws {
        let refused = ActivityStep.ends(2, at: noon)
        let end = Decision.end(dismissal: 60, becomes: .ended, alert: nil)
        let card = try card(afterRefusalOf: end, refused)
        #expect(decision(refused, card) == .wait(until: noon + 900, .retrying))
        for (step, now) in [(refused, noon + 900), (.ends(3, at: noon), noon + 20)] {
            guard case .end = decision(step, card, at: now) else {
                Issue.record("The end waits")
                return
            }
        }
    }

    @Test("A start waits by itself: the device's other cards start, and a newer state of this one, as updates go")
    func start() throws {
        let refused = ActivityStep.shows(2, phase: .packed)
        let card = try card(.waiting, afterRefusalOf: .start(alert: nil), refused)
        var device = Device.any()
        device.starts.spend(Limits.apns.starts, at: noon)
        device.recordStart(mistake, now: noon)
        #expect(device.startFailures.retryAt == nil && device.starts.tokens == 8)
        #expect(card.state == .waiting)
        #expect(decision(refused, card, device) == .wait(until: noon + 900, .retrying))
        #expect(decision(refused, card, device, at: noon + 900) == .start(alert: nil))
        #expect(decision(.shows(3), card, device, at: noon + 1) == .wait(until: noon + 15, .throttled))
        #expect(decision(.shows(3), card, device) == .start(alert: nil))
        #expect(decision(refused, .any(of: Activity(refused), on: device), device) == .start(alert: nil))
    }

    @Test("What is sent next begins anew, and what is refused otherwise holds up every push")
    func next() throws {
        let refused = ActivityStep.shows(2, phase: .packed)
        let newer = Activity(.shows(3, phase: .onTheWay))
        let card = try card(afterRefusalOf: .update(.high, alert: nil), refused)
        var run = DeviceReconciliation(
            device: .any(), cards: [ActivityCard(activity: newer, card: card)], limits: .apns, now: noon + 20)
        run.run(leased: [], newID: { UUID() }) { _ in .refused(reason: "InternalServerError") }
        let after = try #require(run.cards.first?.card)
        #expect(run.pushes.count == 1 && after.rejected == nil && after.failures.retryAt == noon + 21)
        #expect(decision(.ends(4, at: noon), after) == .wait(until: noon + 21, .retrying))
    }

    @Test("Another token of the card is another push")
    func anotherToken() throws {
        let refused = ActivityStep.shows(2, phase: .packed)
        var card = try card(afterRefusalOf: .update(.high, alert: nil), refused)
        card.accept("ef")
        #expect(decision(refused, card) == .update(.high, alert: nil))
    }
}
