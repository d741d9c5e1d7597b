import FlowControl
import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("Decisions about a card")
struct DecideTests {
    func decision(
        _ activity: Activity, _ card: Card, _ device: Device = .any(), others: [ActivityCard] = [], at now: Date = noon,
        _ limits: Limits? = nil
    ) -> Decision {
        decide(activity, card, on: device, others: others, limits: limits ?? .of(device), now: now)
    }

    @Test("A card waits for its start time")
    func waitsForStart() {
        let startAt = Int(noon.timeIntervalSince1970) + 60
        let activity = Activity(.shows(1, startAt: startAt))
        let card = Card.any(of: activity, on: .any())
        #expect(decision(activity, card) == .wait(until: noon + 60, .notYet))
        #expect(decision(activity, card, at: noon + 60) == .start(alert: nil))
    }

    @Test("An app that started its card early has claimed the start")
    func claimedStart() {
        let activity = Activity(.shows(1, startAt: .max))
        var card = Card.any(of: activity, on: .any())
        card.apply(.started(updateToken: "cd"), at: noon)
        #expect(card.state == .active)
        #expect(decision(activity, card) == .update(.high, alert: nil))
    }

    @Test("Nothing starts for an activity that is over, another customer, or a phone that does not want cards")
    func neverStarts() {
        let ended = Activity(.ends(1, at: noon))
        #expect(decision(ended, .any(of: ended, on: .any())) == .nothing(.endedBeforeStart))
        let activity = Activity(.shows(1))
        let card = Card.any(of: activity, on: .any())
        #expect(decision(activity, card, .any(customer: "noor")) == .nothing(.otherCustomer))
        var device = Device.any()
        device.isEnabled = false
        #expect(decision(activity, card, device) == .nothing(.switchedOff))
        device.isEnabled = true
        device.pushToStartToken = nil
        #expect(decision(activity, card, device) == .nothing(.noStartToken))
    }

    @Test("An end waits for the phone to confirm the start, for twelve hours at most")
    func unconfirmedStart() {
        let activity = Activity(.ends(2, at: noon))
        let card = Card.any(of: activity, on: .any(), .starting, startedAt: noon)
        let freedAt = noon + 8 * 3600 + 600
        #expect(decision(activity, card) == .wait(until: freedAt, .unconfirmed))
        #expect(decision(activity, card, at: freedAt) == .wait(until: noon + 12 * 3600, .unconfirmed))
        #expect(decision(activity, card, at: noon + 12 * 3600) == .close(.lost))
        var confirmed = card
        confirmed.apply(.started(updateToken: "cd"), at: noon + 60)
        let end = Decision.end(dismissal: Int((noon + 900).timeIntervalSince1970), becomes: .ended, alert: nil)
        #expect(decision(activity, confirmed, at: noon + 60) == end)
    }

    @Test("A push inside the second waits for its end; an end does not")
    func throttled() {
        let activity = Activity(.shows(2, phase: .packed))
        let card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon, lastPushAt: noon)
        #expect(decision(activity, card, at: noon + 0.4) == .wait(until: noon + 1, .throttled))
        #expect(decision(activity, card, at: noon + 1) == .update(.high, alert: nil))
        let ended = Activity(.ends(3, at: noon))
        guard case .end = decision(ended, card, at: noon + 0.4) else {
            Issue.record("an end waited")
            return
        }
    }

    @Test("Drift goes at low priority and less often; what a person acts on goes at high")
    func priorities() {
        let drift = Activity(.shows(1, 2, arrival: 1060))
        let card = Card.any(
            of: drift, on: .any(), .active, sent: .shows(1, 1, arrival: 1000), startedAt: noon, lastPushAt: noon)
        #expect(decision(drift, card, at: noon + 1) == .wait(until: noon + 15, .throttled))
        #expect(decision(drift, card, at: noon + 15) == .update(.low, alert: nil))
        let late = Activity(.shows(1, 2, arrival: 1300))
        #expect(decision(late, card, at: noon + 1) == .update(.high, alert: nil))
    }

    @Test("An empty budget lowers the priority and delays nothing")
    func emptyBudget() {
        let activity = Activity(.shows(2, phase: .packed))
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        card.urgentPushes = TokenBucket(tokens: 0, countedAt: noon)
        #expect(decision(activity, card) == .update(.low, alert: nil))
    }

    @Test("An alert goes once, and not when it is too late")
    func alerts() {
        let until = Int(noon.timeIntervalSince1970) + 60
        let activity = Activity(.shows(2, alert: "left", alertUntil: until))
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        let due = decision(activity, card)
        #expect(due == .update(.high, alert: .any("left", until: until)))
        #expect(decision(activity, card, at: noon + 61) == .update(.low, alert: nil))
        _ = card.lease(due, activity.wanted, limits: .apns, now: noon)
        #expect(decision(activity, card, at: noon + 15) == .update(.low, alert: nil))
    }

    @Test("A sixth card waits until a slot is free; the summary and what arrives first go before it")
    func slots() {
        func card(_ id: String, _ state: Card.State, arrival: Int, isSummary: Bool = false) -> ActivityCard {
            let activity = Activity(.shows(1, activity: id, arrival: arrival), id: id, isSummary: isSummary)
            return ActivityCard(activity: activity, card: .any(of: activity, on: .any(), state))
        }
        let four = (1...4).map { card("on\($0)", .active, arrival: 5000) }
        let next = card("next", .waiting, arrival: 2000)
        let sooner = card("sooner", .waiting, arrival: 1000)
        let summary = card("summary", .waiting, arrival: 9000, isSummary: true)
        #expect(decision(next.activity, next.card, others: four) == .start(alert: nil))
        #expect(decision(next.activity, next.card, others: four + [sooner]) == .nothing(.tooManyCards))
        #expect(decision(next.activity, next.card, others: four + [summary]) == .nothing(.tooManyCards))
        #expect(decision(sooner.activity, sooner.card, others: four + [next]) == .start(alert: nil))
        #expect(
            decision(next.activity, next.card, others: four + [card("on5", .active, arrival: 9000)])
                == .nothing(.tooManyCards))
    }

    @Test("Starts have a budget of their own, per device")
    func startBudget() {
        let activity = Activity(.shows(1))
        var device = Device.any()
        device.starts = TokenBucket(tokens: 0, countedAt: noon)
        #expect(decision(activity, .any(of: activity, on: device), device) == .wait(until: noon + 1800, .startBudget))
    }

    @Test("After seven and a half hours a card is replaced, and ends only when its replacement is on the screen")
    func rollsOver() {
        let activity = Activity(.shows(1))
        let old = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        let later = noon + 7.5 * 3600
        #expect(decision(activity, old) == .wait(until: later, .upToDate))
        #expect(decision(activity, old, at: later) == .rollOver)
        var new = Card.any(of: activity, on: .any())
        new.replaces = old.id
        let others = { [ActivityCard(activity: activity, card: new)] }
        let lastWordAt = noon + 8 * 3600 - 300
        #expect(decision(activity, old, others: others(), at: later) == .wait(until: lastWordAt, .upToDate))
        #expect(
            decision(activity, new, others: [ActivityCard(activity: activity, card: old)], at: later)
                == .start(alert: nil))
        new.state = .active
        new.updateToken = "ee"
        #expect(
            decision(activity, old, others: others(), at: later)
                == .end(dismissal: 0, becomes: .replaced, alert: nil))
    }

    @Test("On a full phone the card that is replaced ends before its replacement starts, and keeps its slot for it")
    func rollsOverOnAFullPhone() {
        let later = noon + 7.5 * 3600
        func card(_ id: String, _ state: Card.State, arrival: Int, replaces: UUID? = nil) -> ActivityCard {
            let activity = Activity(.shows(1, activity: id, arrival: arrival), id: id)
            var card = Card.any(of: activity, on: .any(), state, sent: activity.wanted, startedAt: noon)
            card.replaces = replaces
            return ActivityCard(activity: activity, card: card)
        }
        let old = card("old", .active, arrival: 5000)
        let four = (1...4).map { card("on\($0)", .active, arrival: 9000) }
        var new = ActivityCard(activity: old.activity, card: .any(of: old.activity, on: .any()))
        new.card.replaces = old.card.id
        #expect(decision(new.activity, new.card, others: four + [old], at: later) == .nothing(.tooManyCards))
        #expect(
            decision(old.activity, old.card, others: four + [new], at: later)
                == .end(dismissal: 0, becomes: .replaced, alert: nil))
        // The freed slot is the replacement's, though another card arrives sooner.
        let sooner = card("sooner", .waiting, arrival: 1000)
        #expect(decision(new.activity, new.card, others: four + [sooner], at: later) == .start(alert: nil))
        #expect(decision(sooner.activity, sooner.card, others: four + [new], at: later) == .nothing(.tooManyCards))

        // What could not start yet takes no card off the screen.
        var device = Device.any()
        device.starts = TokenBucket(tokens: 0, countedAt: later)
        #expect(
            decision(old.activity, old.card, device, others: four + [new], at: later)
                == .wait(until: noon + 8 * 3600 - 300, .upToDate))
    }

    @Test("Two cards of four that are replaced together never make six")
    func twoRollOversAtOnce() {
        let later = noon + 7.5 * 3600
        let cards = (1...4).map { number in
            let activity = Activity(.shows(1, activity: "a\(number)"), id: "a\(number)")
            let startedAt = number <= 2 ? noon : noon + 3600
            return ActivityCard(
                activity: activity,
                card: .any(
                    of: activity, on: .any("phone", .stream), .active, sent: activity.wanted, startedAt: startedAt))
        }
        var reconciliation = DeviceReconciliation(
            device: .any("phone", .stream), cards: cards, limits: .stream, now: later)
        var live = 4
        reconciliation.run(leased: [], newID: { UUID() }) { push in
            switch push.event {
            case .start: live += 1
            case .end: live -= 1
            case .update: break
            }
            #expect(live <= 5)
            return .accepted()
        }
        #expect(live == 4)
        #expect(reconciliation.pushes.count { $0.event == .start } == 2)
    }

    @Test("A card that can be changed stays until another can be, and has the last word where none can")
    func replacedByUpdatable() {
        let activity = Activity(.shows(1))
        let old = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        let (later, lastWordAt) = (noon + 7.5 * 3600, noon + 8 * 3600 - 300)
        var new = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: later)
        new.replaces = old.id
        new.updateToken = nil
        let others = { [ActivityCard(activity: activity, card: new)] }
        let end = Decision.end(dismissal: 0, becomes: .replaced, alert: nil)
        #expect(decision(activity, old, others: others(), at: later) == .wait(until: lastWordAt, .upToDate))
        #expect(decision(activity, old, others: others(), at: lastWordAt) == .update(.high, alert: nil))
        // A device that reads a stream needs no token.
        #expect(decision(activity, old, .any("phone", .stream), others: others(), at: later) == end)
        new.updateToken = "ee"
        #expect(decision(activity, old, others: others(), at: later) == end)
    }

    @Test("After the clock was set back nothing waits for a time that the former clock wrote")
    func clockSetBack() {
        let former = noon + 3600
        let activity = Activity(.shows(2, phase: .packed))
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon, lastPushAt: former)
        #expect(decision(activity, card) == .update(.high, alert: nil))
        card.failures = Failures(count: 1, reason: "InternalServerError", retryAt: former + 1)
        #expect(decision(activity, card) == .update(.high, alert: nil))
        let drift = Activity(.shows(1, 2, arrival: 1060))
        card.sent = .shows(1, 1, arrival: 1000)
        card.urgentArrival = 1000
        #expect(decision(drift, card) == .update(.low, alert: nil))
        // The clocks of two replicas differ by less.
        card.lastPushAt = noon + 0.5
        card.failures = Failures()
        #expect(decision(activity, card) == .wait(until: noon + 1.5, .throttled))

        var device = Device.any()
        let waiting = Card.any(of: activity, on: device)
        device.starts = TokenBucket(tokens: 7, countedAt: former)
        device.startFailures = Failures(count: 1, reason: "InternalServerError", retryAt: former + 1)
        #expect(decision(activity, waiting, device) == .start(alert: nil))
        device.startFailed("unsupported", at: former)
        #expect(decision(activity, waiting, device) == .start(alert: nil))
    }

    @Test("Another customer's card goes off at once")
    func signedOut() {
        let activity = Activity(.shows(1))
        let device = Device.any(customer: "noor")
        let card = Card.any(of: activity, on: device, .active, sent: .shows(1), startedAt: noon, lastPushAt: noon)
        #expect(decision(activity, card, device) == .end(dismissal: 0, becomes: .signedOut, alert: nil))
    }

    @Test("What was swiped away does not come back; what another customer's sign-in took off does")
    func comesBack() {
        let activity = Activity(.shows(1))
        let device = Device.any()
        func lacks(_ activity: Activity, _ cards: Card...) -> [MissingCard] {
            missingCards(of: [activity], on: device, cards: cards)
        }
        #expect(lacks(activity) == [.init(activity: activity, replaces: nil)])
        #expect(lacks(activity, .any(of: activity, on: device, .swiped)).isEmpty)
        let signedOut = Card.any(of: activity, on: device, .signedOut)
        #expect(lacks(activity, signedOut) == [.init(activity: activity, replaces: signedOut.id)])
        #expect(lacks(Activity(.ends(1, at: noon))).isEmpty)
    }

    @Test("A state is sent once more before it goes stale, where pushes get lost")
    func refreshed() {
        let staleAt = Int(noon.timeIntervalSince1970) + 600
        let activity = Activity(.shows(1, staleAt: staleAt))
        var card = Card.any(
            of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon, lastPushAt: noon)
        #expect(decision(activity, card) == .wait(until: noon + 540, .upToDate))
        let due = decision(activity, card, at: noon + 540)
        #expect(due == .update(.low, alert: nil))
        guard let push = card.lease(due, activity.wanted, limits: .apns, now: noon + 540) else { return }
        let isNewest = card.record(push, .accepted(), now: noon + 540)
        #expect(isNewest)
        #expect(decision(activity, card, at: noon + 560) == .wait(until: noon + 7.5 * 3600, .upToDate))
        #expect(decision(activity, card, at: noon, .stream) == .wait(until: noon + 7.5 * 3600, .upToDate))
    }

    @Test("What an operator sends again goes at priority 10 within the budget, also a state that was repeated before")
    func sentAgain() throws {
        let activity = Activity(.shows(1))
        var card = Card.any(
            of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon, lastPushAt: noon)
        card.refreshed = .init(version: 1, step: 0)
        let changed = OverrideCards.apply(.resend, to: card)
        var resent = try #require(changed)
        #expect(decision(activity, resent, at: noon + 600) == .update(.high, alert: nil))
        resent.urgentPushes = TokenBucket(tokens: 0, countedAt: noon + 600)
        #expect(decision(activity, resent, at: noon + 600) == .update(.low, alert: nil))
    }

    @Test("The result of an older push changes nothing")
    func fenced() {
        let activity = Activity(.shows(2, phase: .packed))
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        let first = card.lease(.update(.high, alert: nil), activity.wanted, limits: .apns, now: noon)
        let second = card.lease(.update(.high, alert: nil), .shows(3), limits: .apns, now: noon)
        #expect(first?.timestamp ?? 0 < second?.timestamp ?? 0)
        let before = card
        #expect(first.map { card.record($0, .accepted(), now: noon) } == false)
        #expect(card == before)
    }
}
