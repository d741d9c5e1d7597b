import FlowControl
import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("What a decision does not do")
struct DecideRulesTests {
    private func decision(
        _ activity: Activity, _ card: Card, _ device: Device = .any(), others: [ActivityCard] = [], at now: Date = noon
    ) -> Decision {
        decide(activity, card, on: device, others: others, limits: .of(device), now: now)
    }

    @Test(
        "Nothing is done about a card that is over, whatever is wanted",
        arguments: [Card.State.dismissed, .swiped, .replaced, .signedOut, .lost])
    func over(state: Card.State) {
        for step in [ActivityStep.shows(2, phase: .packed), .ends(3, at: noon)] {
            let activity = Activity(step)
            let card = Card.any(of: activity, on: .any(), state, sent: .shows(1), startedAt: noon)
            #expect(decision(activity, card) == .nothing(.over))
        }
    }

    @Test("Nothing starts while another card of the activity is on the screen, or may be", arguments: [true, false])
    func startInFlight(isConfirmed: Bool) {
        let activity = Activity(.shows(1))
        let other = Card.any(of: activity, on: .any(), isConfirmed ? .active : .starting, startedAt: noon)
        let waiting = Card.any(of: activity, on: .any())
        #expect(
            decision(activity, waiting, others: [ActivityCard(activity: activity, card: other)])
                == .nothing(.startInFlight))
    }

    @Test("A phone whose owner switched activities off is sent no update")
    func switchedOff() {
        let activity = Activity(.shows(2, phase: .packed))
        var device = Device.any()
        device.isEnabled = false
        let card = Card.any(of: activity, on: device, .active, sent: .shows(1), startedAt: noon)
        #expect(decision(activity, card, device) == .nothing(.switchedOff))
    }

    @Test("What was refused waits for its time, an end too")
    func refused() {
        for step in [ActivityStep.shows(2, phase: .packed), .shows(1, 2, arrival: 1060), .ends(3, at: noon)] {
            let activity = Activity(step)
            var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1, 1, arrival: 1000), startedAt: noon)
            card.failures.retryAt = noon + 60
            #expect(decision(activity, card) == .wait(until: noon + 60, .retrying))
            #expect(decision(activity, card, at: noon + 60) != .wait(until: noon + 60, .retrying))
        }
    }

    @Test("A later stale date that was refused waits too")
    func refusedHeartbeat() {
        let soon = Int(noon.timeIntervalSince1970) + 60
        let activity = Activity(.shows(1, staleAt: soon + 3600))
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1, staleAt: soon), startedAt: noon)
        #expect(decision(activity, card) == .update(.low, alert: nil))
        card.failures.retryAt = noon + 30
        #expect(decision(activity, card) == .wait(until: noon + 30, .retrying))
    }

    @Test("An end brings its alert, unless the card had it")
    func alertOfAnEnd() {
        let activity = Activity(.ends(2, at: noon, alert: "delivered"))
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        let dismissal = Int((noon + 900).timeIntervalSince1970)
        #expect(
            decision(activity, card)
                == .end(dismissal: dismissal, becomes: .ended, alert: .any("delivered", until: farAhead)))
        card.alertedIDs = ["delivered"]
        #expect(decision(activity, card) == .end(dismissal: dismissal, becomes: .ended, alert: nil))
    }

    @Test("An arrival at the door that is dated back brings no second alert, and a later arrival brings its own")
    func datedBack() {
        for (time, isAnnounced) in [(2, true), (20, true), (60, false)] {
            let alert = ActivityAlert.any("a1/at-door/\(time)", until: farAhead)
            let activity = Activity(.shows(2, phase: .packed, alert: alert.id))
            var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
            card.alertedIDs = ["a1/at-door/20"]
            #expect(decision(activity, card) == .update(.high, alert: isAnnounced ? nil : alert))
        }
    }

    @Test("A question in the words of the one before it does not wait: its links are others; what only shows may wait")
    func anotherQuestion() {
        func asks(_ version: Int, answer: String, page: String = "page", isOpen: Bool = true) -> ActivityStep {
            let step = ActivityStep.shows(version, alert: "bread")
            var content = step.content
            content.flags = isOpen ? [DeliverySnapshot.Flag.needsCustomer.rawValue] : []
            content.buttons = [
                CardButton(verb: Verb.approveSubstitution.rawValue, title: "", url: answer),
                CardButton(verb: Verb.details.rawValue, title: "", url: page),
            ]
            return step.with(content)
        }
        func decision(from sent: ActivityStep, to wanted: ActivityStep, isSummary: Bool = false) -> Decision {
            let activity = Activity(wanted, isSummary: isSummary)
            var card = Card.any(of: activity, on: .any(), .active, sent: sent, startedAt: noon, lastPushAt: noon)
            card.alertedIDs = ["bread"]
            return self.decision(activity, card, at: noon + 1)
        }
        let (atOnce, later) = (Decision.update(.high, alert: nil), Decision.wait(until: noon + 15, .throttled))
        let milk = asks(1, answer: "milk")
        #expect(decision(from: milk, to: asks(2, answer: "bread")) == atOnce)
        #expect(decision(from: milk, to: asks(2, answer: "milk", page: "other")) == later)
        // A summary's button leads to the delivery with the question, and without one to what arrives next.
        #expect(decision(from: milk, to: asks(2, answer: "milk", page: "other"), isSummary: true) == atOnce)
        let none = asks(1, answer: "milk", isOpen: false)
        let next = asks(2, answer: "milk", page: "other", isOpen: false)
        #expect(decision(from: none, to: next, isSummary: true) == later)
    }
}
