import FlowControl
import Foundation
import LiveActivity
import Messages
import Testing

@testable import ActivityDispatch

extension ReportedCardsTests {
    // MARK: Inventory

    @Test("What an inventory lacks may start again, a start that may still arrive and what was just started aside")
    func missing() {
        let shown = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon)
        let arriving = Card.any(
            of: activity, on: .any(), .starting, startedAt: later - 599, lastPushAt: later - 599)
        let lost = Card.any(of: activity, on: .any(), .starting, startedAt: later - 600, lastPushAt: later - 600)
        let ended = Card.any(of: activity, on: .any(), .ended, sent: activity.wanted, startedAt: noon)
        let inventory = DeviceReport(content: .inventory([]), at: later)
        for (card, states) in [
            (shown, [.lost, .waiting]), (lost, [.lost, .waiting]), (arriving, [.starting]), (ended, [.dismissed]),
        ] as [(Card, [Card.State])] {
            #expect(reported([card], inventory).cards.map(\.state) == states)
        }
        // In a roll-over one of two is missing: the other is there.
        #expect(reported([shown, arriving], inventory).cards.map(\.state) == [.lost, .starting])
        let before = DeviceReport(content: .inventory([]), at: noon + 9)
        #expect(reported([shown], before).cards == [shown])
    }

    @Test("What the app put on a card is known as the app's by every report that has its revision, an inventory too")
    func updatedByAppInAny() throws {
        let card = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon, lastPushAt: noon)
        let revision = Revision(version: 3, step: 0)
        let seen = ReportBody.Instance(
            instance: "A", card: card.id.uuidString, activity: activity.id.rawValue, revision: revision, state: .active,
            isUpdatedByApp: true)
        let kinds: [ReportBody.Kind] = [.started, .shown, .stale, .ended, .dismissed]
        let bodies = kinds.map { kind in
            ReportBody(
                card: card.id.uuidString, instance: "A", kind: kind, revision: revision, isUpdatedByApp: true)
        }
        for body in bodies + [ReportBody(kind: .inventory, instances: [seen])] {
            let after = reported([card], try DeviceReport(body, at: "reports[0]", now: later, wall: later))
            #expect(after.cards[0].updatedByApp == revision, "\(body.kind)")
            #expect(after.observations.map(\.isUpdatedByApp) == [true], "\(body.kind)")
        }
    }

    @Test("A card in the place of a missing one alerts no second time, and has what is left of its budget")
    func startedAgain() throws {
        let alerting = Activity(.shows(3, alert: "delayed"))
        var missing = Card.any(of: alerting, on: .any(), .active, sent: alerting.wanted, startedAt: noon)
        missing.alertedIDs = ["delayed"]
        missing.urgentPushes.spend(Limits.apns.urgentPushes, at: noon, amount: 10)
        let inventory = DeviceReport(content: .inventory([]), at: later)
        let again = try #require(reported([missing], of: [alerting], inventory).cards.last)
        #expect(again.id != missing.id && again.urgentPushes == missing.urgentPushes)
        #expect(decide(alerting, again, on: .any(), others: [], limits: .apns, now: later) == .start(alert: nil))
    }

    @Test("A card that an operator wants off the screen does not start again once it is missing")
    func missingAndTakenOff() {
        for state in [Card.State.active, .starting] {
            var card = Card.any(of: activity, on: .any(), state, sent: activity.wanted, startedAt: noon)
            card.mustEnd = true
            #expect(reported([card], .init(content: .inventory([]), at: later)).cards.map(\.state) == [.lost])
        }
    }

    @Test("A start that never came is made again also where the system has ended the card that it was to replace")
    func missingReplacement() {
        var (old, new) = rollOver()
        old.instance = "A"
        new.startedAt = later - 3600
        new.lastPushAt = later - 3600
        let after = reported([old, new], .init(content: .inventory([seen("A", old, .ended)]), at: later))
        #expect(after.cards.map(\.state) == [.ended, .lost, .waiting])
    }

    @Test("A card that was lost and that the system has ended since starts again, once, and not after a swipe")
    func lostAndEnded() {
        var lost = Card.any(of: activity, on: .any(), .lost, sent: activity.wanted, startedAt: noon)
        lost.instance = "A"
        let inventory = DeviceReport(content: .inventory([seen("A", lost, .ended)]), at: later)
        let after = reported([lost], inventory)
        #expect(after.cards.map(\.state) == [.lost, .waiting])
        #expect(reported(after.cards, inventory).cards.map(\.state) == [.lost, .waiting])
        var swiped = after.cards
        swiped[1].state = .swiped
        #expect(reported(swiped, inventory).cards.map(\.state) == [.lost, .swiped])
        let over = Activity(.ends(4, at: noon))
        #expect(reported([lost], of: [over], inventory).cards.map(\.state) == [.lost])
    }

    @Test("A start that was never confirmed is made again as a new card once its app reports, and not after a swipe")
    func lostStart() throws {
        let lost = Card.any(of: activity, on: .any(), .lost, startedAt: later - 12 * 3600)
        let inventory = DeviceReport(content: .inventory([]), at: later)
        let again = reported([lost], inventory).cards
        #expect(again.map(\.state) == [.lost, .waiting])
        #expect(reported(again, inventory).cards == again)
        let recent = Card.any(of: activity, on: .any(), .lost, startedAt: later - 12 * 3600 + 1)
        let swiped = Card.any(of: activity, on: .any(), .swiped)
        #expect(reported([recent], inventory).cards.map(\.state) == [.lost])
        #expect(reported([swiped, lost], inventory).cards.map(\.state) == [.swiped, .lost])
        let over = Activity(.ends(4, at: noon))
        #expect(reported([lost], of: [over], inventory).cards.map(\.state) == [.lost])
        // What the app has started is a card of its own, whose eight hours begin now.
        let started = DeviceReport(
            instance: "A", activity: activity.id, content: .card(.started(updateToken: "aa")), at: later)
        let claimed = try #require(reported([lost], started).cards.last)
        #expect(claimed.id != lost.id && claimed.state == .active && claimed.startedAt == later)
        #expect(claimed.instance == "A" && claimed.updateToken?.value == "aa")
        // One that is on the phone all the same is still the same card.
        let there = reported([lost], .init(content: .inventory([seen("A", lost)]), at: later))
        #expect(there.cards.map(\.instance) == ["A"] && there.answers == [.init(instance: "A", action: .keep)])
    }

    @Test("An inventory finds cards by their ids, claims what the app started, and has duplicates end")
    func foundByInventory() {
        let card = Card.any(
            of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon, lastPushAt: noon)
        let after = reported(
            [card], .init(content: .inventory([seen("A", card, version: 2), seen("B", card), seen("C", nil)])))
        #expect(after.answers.map(\.action) == [.keep, .end, .end])
        #expect(after.cards.map(\.instance) == ["A"] && after.cards[0].sent == nil)

        let claimed = reported([], .init(content: .inventory([seen("A", nil)])))
        #expect(claimed.cards.map(\.state) == [.active] && claimed.cards.map(\.instance) == ["A"])
        #expect(reported([], .init(content: .inventory([seen("A", nil, .ended)]))).cards.isEmpty)
    }

    @Test("The second instance takes the place of the card's own where that is gone, and needs a token of its own")
    func adoptedDuplicate() throws {
        var card = Card.any(
            of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon, lastPushAt: later - 60)
        card.instance = "A"
        let leased = card.lease(.update(.high, alert: nil), activity.wanted, limits: .apns, now: later - 1)
        let onItsWay = try #require(leased)
        for one in [seen("B", card), seen("B", nil)] {
            let inventory = DeviceReport(content: .inventory([one]), at: later)
            let after = reported([card], inventory)
            #expect(after.cards.map(\.state) == [.active] && after.answers == [.init(instance: "B", action: .keep)])
            var adopted = after.cards[0]
            #expect(adopted.instance == "B" && adopted.updateToken == nil && adopted.sent == nil)
            let isItsOwn = adopted.record(onItsWay, .accepted(), now: later)
            #expect(!isItsOwn && adopted.sent == nil, "what the other was sent")
            let token = DeviceReport(
                card: one.card, instance: "B", activity: activity.id,
                content: .card(.started(updateToken: PushToken(value: "bb", observedAt: noon - 1, registeredAt: noon))))
            let reportedToken = reported([card], inventory, token)
            #expect(reportedToken.cards.map(\.updateToken?.value) == ["bb"])
            #expect(reportedToken.answers.map(\.action) == [.keep])
        }
        var lost = card
        lost.state = .lost
        let waiting = Card.any(of: activity, on: .any())
        let inventory = DeviceReport(content: .inventory([seen("B", lost)]), at: later)
        #expect(reported([lost, waiting], inventory).cards.map(\.state) == [.active, .lost])
    }

    @Test("A second instance is to end where another of its activity is there, or where the card is over")
    func noAdoption() {
        var card = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon)
        card.instance = "A"
        func actions(
            _ cards: [Card], _ seen: DeviceReport.SeenInstance..., of activity: Activity? = nil, at: Date? = nil
        ) -> [ReportedCards.Answer.Action] {
            reported(
                cards, of: [activity ?? self.activity], .init(content: .inventory(seen), at: at ?? later)
            ).answers.map(\.action)
        }
        #expect(actions([card], seen("B", card), seen("A", card)) == [.end, .keep])
        #expect(actions([card], seen("B", card), seen("C", card)) == [.keep, .end])
        #expect(actions([card], seen("B", card, .ended)) == [.end])
        #expect(actions([card], seen("B", card), at: noon + 9) == [.end], "the own one may be later than the look")
        #expect(actions([card], seen("B", card), of: Activity(.ends(4, at: later))) == [.end])
        for state in [Card.State.swiped, .dismissed, .replaced, .signedOut] {
            card.state = state
            #expect(actions([card], seen("B", card)) == [.end])
        }
        card.state = .active
        var next = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: later - 60)
        (next.replaces, next.instance) = (card.id, "N")
        #expect(actions([card, next], seen("B", card), seen("N", next)) == [.end, .keep])
    }

    @Test("A card that the app still sees live, though it was ended longer ago, is ended again")
    func lostEnd() {
        let ended = Activity(.ends(3, at: noon))
        let card = Card.any(
            of: ended, on: .any(), .ended, sent: ended.wanted, startedAt: noon, lastPushAt: later - 10)
        let after = reported([card], of: [ended], .init(content: .inventory([seen("A", card)])))
        #expect(after.cards.map(\.state) == [.active] && after.cards[0].sent == nil)
    }

    // MARK: Times and failures

    @Test(
        "Eight hours count from when the app started its card, not from when it said so; a wrong clock is not believed")
    func claimedEarlier() {
        for (at, startedAt) in [
            (later - 3600, later - 3600), (later + 60, later), (later - 9 * 3600, later),
        ] {
            let report = DeviceReport(activity: activity.id, content: .card(.started(updateToken: nil)), at: at)
            #expect(reported([], report).cards.map(\.startedAt) == [startedAt])
        }
    }

    @Test("A phone that was offline and shows an older revision than it was sent is sent the newest again")
    func catchesUp() {
        let card = Card.any(
            of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon, lastPushAt: later - 10)
        func after(_ version: Int) -> Card {
            reported(
                [card], .init(card: card.id, content: .card(.shown(.init(version: version, step: 0))))
            ).cards[0]
        }
        #expect(after(2).sent == nil && after(2).shown == .init(version: 2, step: 0))
        #expect(after(3).sent == card.sent)
    }

    @Test(
        "A failure of the app's is waited for, by its code",
        arguments: [
            ("denied", nil, false), ("visibility", nil, true), ("targetMaximumExceeded", 900, true),
            ("globalMaximumExceeded", 900, true), ("unsupportedTarget", 3600, true), ("unsupported", 3600, true),
            ("unentitled", 3600, true), ("attributesTooLarge", nil, true), ("persistenceFailure", nil, true),
            ("unknown", nil, true), ("code-17", nil, true), ("tomorrow's", nil, true),
        ] as [(String, TimeInterval?, Bool)])
    func failures(code: String, wait: TimeInterval?, isEnabled: Bool) {
        let card = Card.any(of: activity, on: .any())
        let after = reported([card], .init(activity: activity.id, content: .failed(code: code)))
        #expect(after.device.isEnabled == isEnabled && after.accepted == 1)
        let decision = decide(activity, card, on: after.device, others: [], limits: .apns, now: later)
        let expected: Decision =
            wait.map { .wait(until: later + $0, .startFailed) }
            ?? (isEnabled ? .start(alert: nil) : .nothing(.switchedOff))
        #expect(decision == expected)
    }

    @Test("That the permission was denied before the device registered again does not hold any more")
    func deniedBefore() {
        for (seconds, isEnabled) in [(-61.0, true), (-59.0, false), (61.0, false)] {
            let failed = DeviceReport(
                activity: activity.id, content: .failed(code: "denied"), at: noon + seconds)
            #expect(reported([.any(of: activity, on: .any())], failed).device.isEnabled == isEnabled)
        }
    }

    @Test("What the switch removed is no swipe when its report comes again, or late, with the switch on")
    func switchedOn() {
        var off = Device.any()
        off.isEnabled = false
        var card = Card.any(of: activity, on: off, .active, sent: activity.wanted, startedAt: noon)
        card.instance = "A"
        let dismissed = DeviceReport(instance: "A", content: .card(.dismissed), at: later)
        let inventory = DeviceReport(content: .inventory([]), at: later)
        for (present, first) in [Card.State.active, .starting].flatMap({ [($0, dismissed), ($0, inventory)] }) {
            card.state = present
            for state in [Card.State.waiting, .starting] {
                var cards = reported([card], on: off, first).cards
                #expect(cards.map(\.state) == [.lost, .waiting])
                cards[1].state = state
                #expect(reported(cards, dismissed).cards == cards)
            }
        }
    }

    @Test("A phone that was full has room once one of its cards has ended, and another failure stays")
    func roomAgain() throws {
        let codes = [("targetMaximumExceeded", true), ("globalMaximumExceeded", true), ("unsupported", false)]
        for (code, hasRoom) in codes {
            let failed = DeviceReport(activity: activity.id, content: .failed(code: code))
            var card = Card.any(of: activity, on: .any(), .active, sent: activity.wanted, startedAt: noon)
            let dismissed = DeviceReport(card: card.id, content: .card(.dismissed))
            #expect(reported([card], failed).device.startFailure?.code == code)
            #expect((reported([card], failed, dismissed).device.startFailure == nil) == hasRoom)
            let end = Decision.end(dismissal: 0, becomes: .ended, alert: nil)
            let leased = card.lease(end, activity.wanted, limits: .apns, now: later)
            var device = reported([card], failed).device
            let push = try #require(leased)
            device.record(push, .accepted(), hadSlot: false, now: later)
            #expect(device.startFailure?.code == code, "the end of a card that had ended already")
            device.record(push, .accepted(), hadSlot: true, now: later)
            #expect((device.startFailure == nil) == hasRoom)
            card.state = .ended
            #expect(reported([card], failed, dismissed).device.startFailure?.code == code, "nothing became free")
            let ended = DeviceReport(card: card.id, content: .card(.ended))
            #expect((reported([card], failed, ended).device.startFailure == nil) == hasRoom, "the phone's place is")
        }
    }
}
