import FlowControl
import Foundation
import LiveActivity
import PhoneRules
import Testing

@testable import ActivityDispatch

@Suite("Cards that near eight hours")
struct LastWordTests {
    private let hour = 3600.0
    private let activity = Activity(.shows(3, arrival: Int(noon.timeIntervalSince1970) + 9 * 3600))

    private func old(_ state: Card.State = .active) -> Card {
        .any(of: activity, on: .any(), state, sent: activity.wanted, startedAt: noon)
    }

    private func successor(of old: Card, _ state: Card.State) -> ActivityCard {
        var card = Card.any(of: activity, on: .any(), state)
        card.replaces = old.id
        return ActivityCard(activity: activity, card: card)
    }

    private func decision(_ card: Card, _ device: Device = .any(), _ others: [ActivityCard], at now: Date) -> Decision {
        decide(activity, card, on: device, others: others, limits: .of(device), now: now)
    }

    @Test(
        "A card without an active successor is told once more and left to the system",
        arguments: [Card.State.waiting, .starting])
    func leftToSystem(state: Card.State) throws {
        var card = old()
        let others = [successor(of: card, state)]
        var device = Device.any()
        device.starts = TokenBucket(tokens: 0, countedAt: noon + 8 * hour)
        let at = noon + 8 * hour - 300
        let due = decision(card, device, others, at: at)
        #expect(due == .update(.high, alert: nil))
        let leased = card.lease(due, activity.wanted, limits: .apns, now: at)
        let push = try #require(leased)
        #expect(push.payload.aps.event == .update && push.wanted.isLastWord)
        #expect(
            push.payload.aps.contentState.arrival == nil
                && push.wanted.content.revision == activity.wanted.content.revision)
        let isNewest = card.record(push, .accepted(), now: at)
        #expect(isNewest)
        let leftAt = noon + 8 * hour + 600
        #expect(decision(card, device, others, at: at + 60) == .wait(until: leftAt, .upToDate))
        #expect(decision(card, device, others, at: leftAt) == .close(.ended))
        card.close(as: .ended)
        #expect(decision(card, device, others, at: leftAt) == .wait(until: noon + 12 * hour, .ended))
        #expect(decision(card, device, others, at: noon + 12 * hour) == .close(.dismissed))
    }

    @Test("The phone keeps it on the Lock Screen for four hours more, and nothing counts on it")
    func onThePhone() throws {
        let start = noon.epoch
        var phone = Phone(now: start)
        guard case .show(let shown) = activity.wanted else { return }
        _ = phone.receive(.start(shown, timestamp: start, alert: nil), card: "c", at: start)
        var card = old()
        card.lastTimestamp = start
        let at = noon + 8 * hour - 300
        let leased = card.lease(.update(.high, alert: nil), activity.wanted, limits: .apns, now: at)
        _ = phone.receive(try #require(leased).payload, card: "c", at: at.epoch)
        _ = phone.advance(to: (noon + 11 * hour).epoch)
        let kept = try #require(phone[card: "c"])
        #expect(kept.state == .ended && kept.wasEndedBySystem && phone.lockScreen.count == 1)
        #expect(kept.content.timerRange(now: (noon + 11 * hour).epoch) == nil)
        let text = Words(locale: "en").detail(kept.content, kept.attributes, now: at.epoch)
        #expect(text == "As of 20:55 · open the app for what is new")
    }

    @Test("News and an end in its last minutes still go; an update is the last word again")
    func lastMinutes() throws {
        var card = old()
        let others = [successor(of: card, .starting)]
        let at = noon + 8 * hour - 200
        card.sent = activity.wanted.lastWord(at: at.epoch, endsAt: at.epoch)
        let news = Activity(.shows(4, phase: .packed))
        #expect(
            decide(news, card, on: .any(), others: others, limits: .apns, now: at) == .update(.high, alert: nil))
        let end = Activity(.ends(5, at: at))
        #expect(
            decide(end, card, on: .any(), others: others, limits: .apns, now: at)
                == .end(dismissal: at.epoch + 900, becomes: .ended, alert: nil))
    }

    @Test("An active successor ends it at once, at any age")
    func replaced() {
        let card = old()
        for age in [7.5 * hour, 8 * hour - 200, 8 * hour + 300] {
            #expect(
                decision(card, [successor(of: card, .active)], at: noon + age)
                    == .end(dismissal: 0, becomes: .replaced, alert: nil))
        }
    }

    @Test("A successor that cannot be changed leaves the last word to the card before, which stays until it can")
    func successorWithoutToken() {
        var card = old()
        var next = successor(of: card, .active)
        next.card.updateToken = nil
        let at = noon + 8 * hour - 300
        #expect(decision(card, [next], at: at) == .update(.high, alert: nil))
        card.sent = activity.wanted.lastWord(at: at.epoch, endsAt: at.epoch + 300)
        #expect(decision(card, [next], at: at + 60) == .wait(until: noon + 8 * hour + 600, .upToDate))
        next.card.updateToken = "bb"
        #expect(decision(card, [next], at: at + 61) == .end(dismissal: 0, becomes: .replaced, alert: nil))
    }

    @Test("A phone that cannot start cards gets a successor too, which starts when it can")
    func startsGoOn() {
        var device = Device.any()
        device.pushToStartToken = nil
        let card = old()
        #expect(decision(card, device, [], at: noon + 7.5 * hour) == .rollOver)
        let next = successor(of: card, .waiting)
        #expect(decision(next.card, device, [], at: noon + 9 * hour) == .nothing(.noStartToken))
        #expect(decision(next.card, .any(), [], at: noon + 9 * hour) == .start(alert: nil))
    }

    @Test("A card that the system ended and that has no successor gets one, however it came to be without")
    func endedWithoutSuccessor() {
        var card = old()
        card.attributesBytes = 300
        card.apply(.ended, at: noon + 8 * hour)
        let at = noon + 9 * hour
        #expect(decision(card, [], at: at) == .rollOver)
        for state in [Card.State.waiting, .starting] {
            #expect(decision(card, [successor(of: card, state)], at: at) == .wait(until: noon + 12 * hour, .ended))
            // Another that was not made in its place will do.
            let other = ActivityCard(activity: activity, card: .any(of: activity, on: .any(), state))
            #expect(decision(card, [other], at: at) == .wait(until: noon + 12 * hour, .ended))
        }
        #expect(decision(card, [successor(of: card, .active)], at: at) == .close(.replaced))
        #expect(decision(card, [], at: noon + 12 * hour) == .close(.dismissed))
        // What its owner, an operator or its delivery took off is not replaced.
        #expect(decision(card, .any(customer: "noor"), [], at: at) == .wait(until: noon + 12 * hour, .ended))
        let over = Activity(.ends(4, at: at))
        #expect(
            decide(over, card, on: .any(), others: [], limits: .apns, now: at)
                == .wait(until: noon + 12 * hour, .ended))
        let taken = OverrideCards.apply(.endCard, to: card)
        #expect(taken.map { decision($0, [], at: at) } == .wait(until: noon + 12 * hour, .ended))
    }

    @Test("A card that ended early was ended by its app, unless its app started it, so that nobody knows when")
    func endedEarly() {
        var card = old()
        card.apply(.ended, at: noon + 2 * hour)
        #expect(decision(card, [], at: noon + 3 * hour) == .rollOver)
        card.attributesBytes = 300
        #expect(decision(card, [], at: noon + 3 * hour) == .wait(until: noon + 6 * hour, .ended))
    }

    @Test("What replaces a card that the system has ended starts at once where that is possible")
    func startsInPlace() {
        var card = old()
        card.apply(.ended, at: noon + 8 * hour)
        for hasToken in [true, false] {
            var device = Device.any()
            if !hasToken { device.pushToStartToken = nil }
            var run = DeviceReconciliation(
                device: device, cards: [ActivityCard(activity: activity, card: card)], limits: .apns,
                now: noon + 9 * hour)
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            #expect(run.cards.map(\.card.state) == [.ended, hasToken ? .starting : .waiting])
            #expect(run.cards[1].card.replaces == card.id && run.pushes.map(\.event) == (hasToken ? [.start] : []))
        }
    }

    private func decision(_ card: Card, _ others: [ActivityCard], at now: Date) -> Decision {
        decision(card, .any(), others, at: now)
    }

    @Test(
        "On a full phone the old card ends first, and its five cards are never six",
        arguments: [Device.Transport.stream, .apns])
    func fullPhone(transport: Device.Transport) {
        let device = Device.any("phone", transport)
        let limits: Limits = .of(device)
        let later = noon + 7.5 * hour
        var cards = (1...5).map { number in
            let activity = Activity(.shows(1, activity: "a\(number)"), id: "a\(number)")
            return ActivityCard(
                activity: activity,
                card: .any(
                    of: activity, on: device, .active, sent: activity.wanted,
                    startedAt: number == 1 ? noon : noon + 3 * hour))
        }
        var phone = Phone(now: later.epoch)
        for one in cards {
            guard case .show(let shown) = one.activity.wanted else { return }
            _ = phone.receive(
                .start(shown, timestamp: later.epoch - 60, alert: nil), card: one.card.id.uuidString, at: later.epoch)
        }
        for second in 0..<5 {
            let now = later + Double(second)
            var reconciliation = DeviceReconciliation(device: device, cards: cards, limits: limits, now: now)
            reconciliation.run(leased: [], newID: { UUID() }) { push in
                #expect(phone.refusal(of: push.payload, card: push.card.uuidString) == nil, "\(push.event)")
                _ = phone.receive(push.payload, card: push.card.uuidString, at: now.epoch)
                return .accepted()
            }
            cards = reconciliation.cards
        }
        #expect(phone.liveCards.count { $0.state.isLive } == 5)
        #expect(cards.count { $0.card.state == .replaced } == 1)
    }
}

extension Date {
    fileprivate var epoch: Int { Int(timeIntervalSince1970) }
}
