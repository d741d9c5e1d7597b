import FlowControl
import Foundation
import LiveActivity
import Messages
import Testing

@testable import ActivityDispatch

@Suite("Reports about a device's cards")
struct ReportedCardsTests {
    let activity = Activity(.shows(3))
    let later = noon + 7.5 * 3600

    /// A card in the midst of a roll-over: the old one is on the screen, and so is the one that replaces it.
    func rollOver() -> (old: Card, new: Card) {
        var old = Card.any(
            of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon, lastPushAt: later)
        old.updateToken = "aa"
        var new = Card.any(
            of: activity, on: .any(), .starting, sent: activity.wanted, startedAt: later, lastPushAt: later)
        new.replaces = old.id
        return (old, new)
    }

    func reported(
        _ cards: [Card], of activities: [Activity]? = nil, on device: Device = .any(), limits: Limits = .apns,
        _ reports: DeviceReport...
    ) -> ReportedCards {
        let all = activities ?? [activity]
        var reported = ReportedCards(
            device: device, cards: cards, activities: Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) }),
            limits: limits, now: later, newID: { UUID() })
        for report in reports { reported.apply(report) }
        return reported
    }

    func seen(
        _ instance: String, _ card: Card?, version: Int = 3, _ state: ReportBody.Instance.State = .active
    ) -> DeviceReport.SeenInstance {
        .init(
            instance: instance, card: card?.id, activity: activity.id, revision: .init(version: version, step: 0),
            state: state)
    }

    // MARK: What a report proves

    @Test("An older state long after the end proves the end lost, but not on a stream, which keeps it until it is read")
    func provenLoss() {
        let ended = Activity(.ends(4, at: later - 60))
        let card = Card.any(
            of: ended, on: .any(), .ended, sent: ended.wanted, startedAt: noon, lastPushAt: later - 60)
        let report = DeviceReport(
            card: card.id, activity: ended.id, content: .card(.shown(.init(version: 3, step: 0))))
        #expect(reported([card], of: [ended], report).cards[0].state == .active)
        #expect(reported([card], of: [ended], limits: .stream, report).cards[0].state == .ended)
    }

    @Test("What the app put on a card is known as the app's, and never as a push that arrived")
    func updatedByApp() {
        let card = Card.any(of: activity, on: .any(), sent: activity.wanted, startedAt: noon, lastPushAt: noon)
        let report = DeviceReport(
            card: card.id, content: .card(.shown(.init(version: 3, step: 0))), revision: .init(version: 3, step: 0),
            isUpdatedByApp: true)
        let after = reported([card], report)
        #expect(after.cards[0].updatedByApp == Revision(version: 3, step: 0))
        #expect(after.cards[0].shown == Revision(version: 3, step: 0))
        #expect(after.observations.map(\.isUpdatedByApp) == [true])
        let pushed = DeviceReport(
            card: card.id, content: .card(.shown(.init(version: 3, step: 0))), revision: .init(version: 3, step: 0))
        #expect(reported([card], pushed).cards[0].updatedByApp == nil)
    }

    // MARK: Which card

    @Test("While two cards of an activity are open, a report that names neither is applied to neither")
    func nothingGuessed() {
        let (old, new) = rollOver()
        for content: CardReport in [.started(updateToken: "bb"), .shown(.init(version: 3, step: 0)), .dismissed] {
            let after = reported([old, new], .init(activity: activity.id, content: .card(content)))
            #expect(after.cards == [old, new] && after.unknown == 1)
        }
    }

    @Test("The old card's rotated token, reported by its instance, does not confirm its successor")
    func rotationInRollOver() {
        var (old, new) = rollOver()
        old.instance = "A"
        let after = reported(
            [old, new],
            .init(instance: "A", activity: activity.id, content: .card(.started(updateToken: "bb"))))
        #expect(after.cards.map(\.state) == [.active, .starting])
        #expect(after.cards.map(\.updateToken) == ["bb", nil])
    }

    @Test("The start that has no instance yet is the one that a new instance of the activity confirms")
    func newInstance() {
        var (old, new) = rollOver()
        old.instance = "A"
        let after = reported(
            [old, new],
            .init(instance: "B", activity: activity.id, content: .card(.started(updateToken: "bb"))))
        #expect(after.cards.map(\.state) == [.active, .active])
        #expect(after.cards.map(\.instance) == ["A", "B"])
        #expect(after.answers.map(\.action) == [.keep])
    }

    // MARK: What was taken off by us

    @Test("A card that we took off for its successor was not swiped away, and the successor stays")
    func dismissedByRollOver() {
        var (old, new) = rollOver()
        new.state = .active
        var replaced = old
        replaced.state = .replaced
        _ = old.lease(
            .end(dismissal: 0, becomes: .replaced, alert: nil), activity.wanted, limits: .apns, now: later)
        for card in [old, replaced] {
            let after = reported([card, new], .init(card: card.id, content: .card(.dismissed)))
            #expect(after.cards.map(\.state) == [.replaced, .active])
            #expect(missingCards(of: [activity], on: .any(), cards: after.cards).isEmpty)
        }
    }

    @Test("On a full phone the end that makes room is no swipe either, before its result is known")
    func dismissedForRoom() {
        var (old, new) = rollOver()
        new.state = .waiting
        _ = old.lease(
            .end(dismissal: 0, becomes: .replaced, alert: nil), activity.wanted, limits: .apns, now: later)
        let dismissed = DeviceReport(card: old.id, content: .card(.dismissed))
        #expect(reported([old, new], dismissed).cards.map(\.state) == [.replaced, .waiting])
        // The system reports the end first, whose answer may have been lost.
        let ended = DeviceReport(card: old.id, content: .card(.ended))
        #expect(reported([old, new], ended, dismissed).cards.map(\.state) == [.replaced, .waiting])
    }

    @Test("The end of a delivery that its app reports before the answer is known is no end by the system")
    func endedBeforeResult() {
        let over = Activity(.ends(4, at: later))
        var (card, _) = rollOver()
        _ = card.lease(.end(dismissal: 0, becomes: .ended, alert: nil), over.wanted, limits: .apns, now: later)
        let ended = DeviceReport(card: card.id, content: .card(.ended))
        let dismissed = DeviceReport(card: card.id, content: .card(.dismissed))
        #expect(reported([card], of: [over], ended).cards.map(\.state) == [.ended])
        #expect(reported([card], of: [over], ended, dismissed).cards.map(\.state) == [.dismissed])
    }

    @Test("A card that its owner swiped away while its successor waited does not come back as that")
    func swipedBeforeRollOver() {
        var (old, new) = rollOver()
        new.state = .waiting
        let waiting = reported([old, new], .init(card: old.id, content: .card(.dismissed)))
        #expect(waiting.cards.map(\.state) == [.swiped, .swiped])
        new.state = .starting
        let starting = reported([old, new], .init(card: old.id, content: .card(.dismissed)))
        #expect(starting.cards.map(\.state) == [.swiped, .starting] && starting.cards[1].mustEnd)
    }

    // MARK: What an app is to do

    @Test("A second instance of a card, or of an activity that has its card, is to end; the first is kept")
    func duplicates() {
        var card = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon)
        card.instance = "A"
        let after = reported(
            [card],
            .init(card: card.id, instance: "A", content: .card(.shown(.init(version: 3, step: 0)))),
            .init(card: card.id, instance: "B", content: .card(.started(updateToken: "bb"))),
            .init(instance: "C", activity: activity.id, content: .card(.started(updateToken: "cc"))))
        #expect(after.answers.map(\.instance) == ["A", "B", "C"])
        #expect(after.answers.map(\.action) == [.keep, .end, .end])
        #expect(after.cards.map(\.updateToken) == ["cd"] && after.cards.map(\.instance) == ["A"])
    }

    @Test("An instance that is named again gets one answer, and one of a card that is over is no duplicate")
    func noDuplicates() {
        var card = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon)
        card.instance = "A"
        let stale = DeviceReport(card: card.id, instance: "B", content: .card(.stale))
        #expect(reported([card], stale, stale).answers == [.init(instance: "B", action: .end)])
        // What only says that it is there may be the card's own, of which the start was never reported.
        let unknown = DeviceReport(instance: "C", activity: activity.id, content: .card(.stale))
        #expect(reported([card], unknown).answers.map(\.action) == [.keep])
        card.state = .ended
        card.dismissedAt = later + 60
        let start = DeviceReport(instance: "C", activity: activity.id, content: .card(.started(updateToken: "cc")))
        #expect(reported([card], start).answers.map(\.action) == [.keep])
    }

    // MARK: What counted as lost

    @Test("A lost card whose app uploads a token for it is taken back, and none starts in its place")
    func found() {
        var lost = Card.any(of: activity, on: .any(), .lost, sent: activity.wanted, startedAt: noon)
        lost.updateToken = "cd"
        let next = Card.any(of: activity, on: .any(), .waiting)
        for content: CardReport in [.started(updateToken: "cd"), .shown(.init(version: 3, step: 0)), .stale] {
            var report = DeviceReport(card: lost.id, instance: "A", content: .card(content))
            if !report.isStart { report.updateToken = "cd" }
            let after = reported([lost, next], report)
            #expect(after.cards.map(\.state) == [.active, .lost])
            #expect(after.answers.map(\.action) == [.keep])
        }
        let without = DeviceReport(card: lost.id, instance: "A", content: .card(.stale))
        #expect(reported([lost], without).cards.map(\.state) == [.lost])
    }

    @Test("A lost card that is there beside another of its activity is to end")
    func foundDuplicate() {
        let lost = Card.any(of: activity, on: .any(), .lost, sent: activity.wanted, startedAt: noon)
        let other = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: later)
        let report = DeviceReport(
            card: lost.id, instance: "A", content: .card(.shown(.init(version: 3, step: 0))), updateToken: "ef")
        let after = reported([lost, other], report)
        #expect(after.cards.map(\.state) == [.lost, .active])
        #expect(after.answers.map(\.action) == [.end])
    }

    @Test("A start whose answer got lost starts again once the app has said that nothing is there")
    func unknownStart() {
        var card = Card.any(of: activity, on: .any())
        let push = card.lease(.start(alert: nil), activity.wanted, limits: .apns, now: later - 600)
        let isNewest = push.map { card.record($0, .unknown("reset"), now: later - 600) } ?? false
        #expect(isNewest && card.state == .starting)
        let after = reported([card], DeviceReport(content: .inventory([]), at: later))
        #expect(after.cards.map(\.state) == [.lost, .waiting])
    }

    @Test("A card that was swiped away does not come back as another that waits for its place")
    func swipedDuplicate() {
        let card = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon)
        let waiting = Card.any(of: activity, on: .any(), .waiting)
        let after = reported([card, waiting], .init(card: card.id, content: .card(.dismissed)))
        #expect(after.cards.map(\.state) == [.swiped, .swiped])
    }

    @Test("A swipe that is said after the inventory that lacks its card keeps that from starting again")
    func swipedWhileOffline() {
        var card = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon)
        card.instance = "A"
        let inventory = DeviceReport(content: .inventory([]), at: later)
        let swipe = DeviceReport(instance: "A", content: .card(.dismissed), at: later)
        #expect(reported([card], inventory, swipe).cards.map(\.state) == [.swiped, .swiped])
        // The other may be on its way, or there.
        var cards = reported([card], inventory).cards
        cards[1].state = .starting
        let after = reported(cards, swipe).cards
        #expect(after.map(\.state) == [.swiped, .starting] && after[1].mustEnd)
        cards[1].replaces = card.id
        cards[1].state = .active
        #expect(reported(cards, swipe).cards.map(\.state) == [.lost, .active])
        // After eight hours the system may have taken it off.
        card.startedAt = later - 8 * 3600
        #expect(reported([card], inventory, swipe).cards.map(\.state) == [.lost, .waiting])
    }

    @Test("An open order's card that the system has ended and its owner takes off does not come back")
    func swipedAfterSystemEnd() {
        var ended = Card.any(of: activity, on: .any(), .ended, sent: activity.wanted, startedAt: noon)
        ended.instance = "A"
        ended.dismissedAt = later + 4 * 3600
        let waiting = Card.any(of: activity, on: .any())
        let report = DeviceReport(instance: "A", content: .card(.dismissed), at: later)
        #expect(reported([ended, waiting], report).cards.map(\.state) == [.swiped, .swiped])
        ended.dismissedAt = later
        #expect(reported([ended, waiting], report).cards.map(\.state) == [.dismissed, .waiting])
        ended.dismissedAt = later + 4 * 3600
        ended.sent = .ends(4, at: later)
        #expect(reported([ended], report).cards.map(\.state) == [.dismissed])
    }

    @Test("What leaves while its owner has switched Live Activities off was not swiped away, and comes back")
    func switchedOff() throws {
        var device = Device.any()
        device.isEnabled = false
        var card = Card.any(of: activity, on: device, .active, sent: activity.wanted, startedAt: noon)
        card.instance = "A"
        let dismissed = DeviceReport(instance: "A", content: .card(.dismissed), at: later)
        let after = reported([card], on: device, dismissed, dismissed)
        #expect(after.cards.map(\.state) == [.lost, .waiting])
        let new = try #require(after.cards.last)
        let waiting = decide(activity, new, on: device, others: [], limits: .apns, now: later)
        #expect(waiting == .nothing(.switchedOff))
        device.isEnabled = true
        #expect(decide(activity, new, on: device, others: [], limits: .apns, now: later) == .start(alert: nil))
        // One that the system has ended leaves so too, and what is to take its place stays.
        device.isEnabled = false
        card.state = .ended
        card.dismissedAt = later + 4 * 3600
        let successor = Card.any(of: activity, on: device)
        #expect(reported([card, successor], on: device, dismissed).cards.map(\.state) == [.dismissed, .waiting])
    }

    @Test("A card whose push was answered before its app could report the switch comes back with it too")
    func lostBeforeSwitch() {
        var device = Device.any()
        device.isEnabled = false
        var lost = Card.any(of: activity, on: device, .lost, sent: activity.wanted, startedAt: noon)
        lost.instance = "A"
        let dismissed = DeviceReport(instance: "A", content: .card(.dismissed), at: later)
        let inventory = DeviceReport(content: .inventory([]), at: later)
        for reports in [[dismissed, inventory], [inventory, dismissed]] {
            var after = reported([lost], on: device)
            for report in reports { after.apply(report) }
            #expect(after.cards.map(\.state) == [.lost, .waiting])
        }
        // Its owner had swiped the next one away.
        let swiped = Card.any(of: activity, on: device, .swiped)
        #expect(reported([lost, swiped], on: device, dismissed, inventory).cards.map(\.state) == [.lost, .swiped])
        // It had left while the switch was on: its owner had swiped it away, and the app was not there to see it.
        let gone = reported([lost], inventory).cards
        #expect(gone.map(\.state) == [.lost])
        #expect(reported(gone, on: device, inventory, dismissed).cards.map(\.state) == [.lost])
        var other = Device.any(customer: "noor")
        other.isEnabled = false
        #expect(reported([lost], on: other, inventory).cards.map(\.state) == [.lost], "of another customer")
    }

    // MARK: What is over

    @Test(
        "What is over on the phone is to end, by the state of its card",
        arguments: zip(
            Card.State.allCases,
            [.keep, .keep, .keep, .keep, .end, .end, .end, .end, .keep] as [ReportedCards.Answer.Action]))
    func actions(state: Card.State, action: ReportedCards.Answer.Action) {
        var card = Card.any(of: activity, on: .any(), state, sent: activity.wanted, startedAt: noon)
        card.instance = "A"
        card.dismissedAt = state == .ended ? later + 60 : nil
        let after = reported([card], .init(instance: "A", content: .card(.stale)))
        #expect(after.answers == [.init(instance: "A", action: action)])
    }

    @Test("A card is to end that is another customer's, and one whose delivery ended and is past its dismissal")
    func foreignAndOver() {
        var card = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon)
        card.instance = "A"
        let report = DeviceReport(instance: "A", content: .card(.stale))
        #expect(reported([card], on: .any(customer: "noor"), report).answers.map(\.action) == [.end])
        for (seconds, action) in [(901, ReportedCards.Answer.Action.end), (899, .keep)] {
            let ended = Activity(.ends(4, at: later - TimeInterval(seconds)))
            #expect(reported([card], of: [ended], report).answers.map(\.action) == [action])
            let unknown = DeviceReport(
                instance: "B", activity: ended.id, content: .card(.shown(.init(version: 3, step: 0))))
            #expect(reported([], of: [ended], unknown).answers.map(\.action) == [action])
        }
    }
}
