import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("A card and the results of its pushes")
struct CardPushTests {
    private let activity = Activity(.shows(2, phase: .packed))

    private func active() -> Card { .any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon) }

    private func push(_ decision: Decision, of card: inout Card, at now: Date = noon) throws -> Push {
        let leased = card.lease(decision, activity.wanted, limits: .apns, now: now)
        return try #require(leased)
    }

    @Test("A start that was taken is unconfirmed all the same")
    func unconfirmed() throws {
        var card = Card.any(of: activity, on: .any())
        let start = try push(.start(alert: nil), of: &card)
        _ = card.record(start, .accepted(), now: noon)
        #expect(card.state == .starting)
    }

    @Test("A start that was refused holds back its device, and not the card")
    func refusedStart() throws {
        var card = Card.any(of: activity, on: .any())
        let start = try push(.start(alert: nil), of: &card)
        _ = card.record(start, .refused(reason: "TooManyRequests"), now: noon)
        #expect(card.state == .waiting && card.failures.retryAt == nil && card.failures.count == 0)
    }

    @Test("An update of which nobody knows whether it counted is sent again, after a while")
    func unknownUpdate() throws {
        var card = active()
        let update = try push(.update(.high, alert: nil), of: &card)
        _ = card.record(update, .unknown("reset"), now: noon)
        #expect(card.sent == .shows(1))
        let retryAt = try #require(card.failures.retryAt)
        #expect(
            decide(activity, card, on: .any(), others: [], limits: .apns, now: max(retryAt, noon + 1))
                == .update(.high, alert: nil))
    }

    @Test("Each reason to fail has waits of its own, which grow while it stays the same")
    func waitsByReason() throws {
        var card = active()
        func waits(_ results: PushResult...) throws -> [TimeInterval] {
            try results.map { result in
                let update = try push(.update(.high, alert: nil), of: &card, at: noon)
                _ = card.record(update, result, now: noon)
                return try #require(card.failures.retryAt).timeIntervalSince(noon)
            }
        }
        let away = PushResult.notSent("no connection")
        let busy = PushResult.refused(reason: "TooManyRequests")
        #expect(try waits(away, away, busy, busy, away) == [1, 2, 10, 20, 1])
    }

    @Test("What is taken ends the waiting after failures")
    func acceptedAfterFailures() throws {
        var card = active()
        (card.failures.count, card.failures.retryAt) = (3, noon + 60)
        let update = try push(.update(.high, alert: nil), of: &card, at: noon + 60)
        _ = card.record(update, .accepted(), now: noon + 60)
        #expect(card.failures.count == 0 && card.failures.retryAt == nil)
    }

    @Test("A token that is gone makes a card with another one wait for nothing")
    func goneOther() throws {
        var card = active()
        let update = try push(.update(.high, alert: nil), of: &card)
        _ = card.record(update, .gone(token: "ef"), now: noon)
        #expect(card.state == .active && card.failures.retryAt == nil)
    }

    @Test("A card whose token is gone when it is to leave the screen has left it, and any other is lost")
    func goneAtEnd() throws {
        for (decision, state) in [
            (.update(.high, alert: nil), .lost), (.end(dismissal: 0, becomes: .ended, alert: nil), .lost),
            (.end(dismissal: 0, becomes: .signedOut, alert: nil), .signedOut),
            (.end(dismissal: 0, becomes: .replaced, alert: nil), .replaced),
            (.end(dismissal: 0, becomes: .dismissed, alert: nil), .dismissed),
        ] as [(Decision, Card.State)] {
            var card = active()
            let push = try push(decision, of: &card)
            _ = card.record(push, .gone(token: "cd"), now: noon)
            #expect(card.state == state && card.endRepeatAt == nil)
        }
    }

    @Test("A swipe is not undone by the result of a push, nor by anything that its app reports later")
    func swiped() throws {
        for decision in [
            Decision.update(.high, alert: nil), .end(dismissal: 0, becomes: .ended, alert: nil),
        ] {
            var card = active()
            let push = try push(decision, of: &card)
            card.inFlight = nil
            card.apply(.dismissed, at: noon + 1)
            #expect(card.state == .swiped)
            _ = card.record(push, .accepted(), now: noon + 2)
            #expect(card.state == .swiped)
            for report in [CardReport.started(updateToken: "ef"), .shown(.init(version: 1, step: 0)), .stale, .ended] {
                card.apply(report, at: noon + 60)
                #expect(card.state == .swiped)
            }
            card.applySeenLive(.init(version: 1, step: 0), at: noon + 60)
            #expect(card.state == .swiped)
        }
    }

    @Test("A start goes to the device's token, everything else to the card's")
    func tokens() {
        for (card, token) in [(Card.any(of: activity, on: .any()), "ab"), (active(), "cd")] {
            var run = DeviceReconciliation(
                device: .any(), cards: [ActivityCard(activity: activity, card: card)], limits: .apns, now: noon + 60)
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            #expect(run.pushes.map(\.token?.value) == [token])
        }
    }

    @Test("An operator has a card leave at once, and one that waits not start")
    func mustEnd() {
        var (card, waiting) = (active(), Card.any(of: activity, on: .any()))
        (card.mustEnd, waiting.mustEnd) = (true, true)
        #expect(
            decide(activity, card, on: .any(), others: [], limits: .apns, now: noon)
                == .end(dismissal: 0, becomes: .dismissed, alert: nil))
        #expect(decide(activity, waiting, on: .any(), others: [], limits: .apns, now: noon) == .close(.dismissed))
    }
}
