import Foundation
import LiveActivity
import Messages
import Testing

@testable import ActivityDispatch

extension ReportedCardsTests {
    // MARK: What the system has ended

    /// A card that the system has ended, with the one that takes its place.
    private func systemEnded() -> (old: Card, new: Card) {
        var (old, new) = rollOver()
        old.apply(.ended, at: later)
        old.instance = "A"
        new.instance = "N"
        return (old, new)
    }

    @Test("What the system has ended leaves the Lock Screen by the app, once another of its activity lives")
    func leftBehind() {
        var (old, new) = systemEnded()
        let inventory = DeviceReport(content: .inventory([seen("A", old, .ended), seen("N", new)]), at: later)
        #expect(reported([old, new], inventory).answers.map(\.action) == [.end, .keep])
        // Also where the app names the other alone: nothing else would say it.
        let started = DeviceReport(card: new.id, instance: "N", content: .card(.started(updateToken: "bb")))
        let answers: [ReportedCards.Answer] = [.init(instance: "N", action: .keep), .init(instance: "A", action: .end)]
        #expect(reported([old, new], started).answers == answers)
        old.state = .replaced
        #expect(reported([old, new], started).answers == answers)
        old.dismissedAt = later
        #expect(reported([old, new], started).answers.map(\.instance) == ["N"])
        (old, new) = systemEnded()
        new.state = .waiting
        let alone = DeviceReport(content: .inventory([seen("A", old, .ended)]), at: later)
        #expect(reported([old, new], alone).answers.map(\.action) == [.keep])
    }

    @Test("After the end of its delivery it leaves too, unless it shows that end")
    func leftBehindAtEnd() {
        let over = Activity(.ends(4, at: later - 60))
        for (sent, version, action) in [
            (activity.wanted, 3, .end), (activity.wanted, 4, .keep), (over.wanted, 3, .end), (over.wanted, 4, .keep),
        ] as [(ActivityStep, Int, ReportedCards.Answer.Action)] {
            var (card, _) = systemEnded()
            card.sent = sent
            let inventory = DeviceReport(
                content: .inventory([seen("A", card, version: version, .ended)]), at: later)
            let after = reported([card], of: [over], inventory)
            #expect(after.answers.map(\.action) == [action])
            let report = DeviceReport(
                instance: "A", content: .card(.ended), revision: .init(version: version, step: 0))
            #expect(reported([card], of: [over], report).answers.map(\.action) == [action])
            // What was seen once holds when another card is named.
            if action == .keep {
                let other = DeviceReport(instance: "Z", activity: over.id, content: .card(.stale))
                #expect(!reported(after.cards, of: [over], other).answers.map(\.instance).contains("A"))
            }
        }
        // The end that is on its way when the app says that its card has ended is what ended it.
        var (card, _) = rollOver()
        card.instance = "A"
        _ = card.lease(
            .end(dismissal: 0, becomes: .ended, alert: nil), over.wanted, limits: .apns, now: later)
        let report = DeviceReport(instance: "A", content: .card(.ended))
        #expect(reported([card], of: [over], report).answers.map(\.action) == [.keep])
    }

    @Test("A card that no push can end, since it has no token, is the app's to end once another has taken its place")
    func replacedWithoutToken() {
        var (old, new) = rollOver()
        (old.instance, old.updateToken, new.state) = ("A", nil, .active)
        let report = DeviceReport(instance: "A", content: .card(.stale))
        #expect(reported([old, new], report).answers.map(\.action) == [.end])
        new.state = .starting
        #expect(reported([old, new], report).answers.map(\.action) == [.keep])
        new.state = .active
        old.updateToken = "aa"
        #expect(reported([old, new], report).answers.map(\.action) == [.keep])
    }

    @Test("A swipe of the card that took over is one of the whole order: the ended one goes too, and none starts")
    func swipedSuccessor() {
        var (old, new) = systemEnded()
        new.state = .active
        let after = reported([old, new], .init(instance: "N", content: .card(.dismissed)))
        #expect(after.cards.map(\.state) == [.swiped, .swiped])
        #expect(after.answers.contains(.init(instance: "A", action: .end)))
        old = after.cards[0]
        #expect(decide(activity, old, on: .any(), others: [], limits: .apns, now: later) == .nothing(.over))
    }
}
