import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("A card and what its app reports")
struct CardReportTests {
    private let activity = Activity(.shows(2))

    private func active(lastPushAt: Date? = nil) -> Card {
        .any(of: activity, on: .any(), .active, sent: .shows(2), startedAt: noon - 60, lastPushAt: lastPushAt)
    }

    @Test("A token that comes late does not take the place of a newer one")
    func lateToken() {
        var card = active()
        for late in [
            PushToken(value: "ef", observedAt: noon - 1, generation: 9, registeredAt: noon + 60),
            PushToken(value: "ef", observedAt: noon, generation: -1, registeredAt: noon + 60),
        ] {
            card.apply(.started(updateToken: late), at: noon + 60)
            #expect(card.updateToken == "cd")
        }
        let newer = PushToken(value: "ef", observedAt: noon, generation: 1, registeredAt: noon + 60)
        card.apply(.started(updateToken: newer), at: noon + 60)
        #expect(card.updateToken == newer)
    }

    @Test("An older state on the screen proves a loss only when the newer one has had ten seconds to arrive")
    func grace() {
        for (seconds, isLost) in [(9.0, false), (10, true)] {
            var card = active(lastPushAt: noon)
            card.apply(.shown(.init(version: 1, step: 0)), at: noon + seconds)
            #expect((card.sent == nil) == isLost)
        }
    }

    @Test("What the system has ended stays on the Lock Screen for four hours more")
    func endedBySystem() {
        var card = active()
        card.apply(.ended, at: noon)
        #expect(card.state == .ended && card.dismissedAt == noon + 4 * 3600)
    }

    @Test("The system removes it twelve hours after its start, however late its app tells of the end")
    func removedBySystem() {
        let startedAt = noon - 60
        let removedAt = startedAt + 12 * 3600
        for lateness in [60, 240, 4 * 3600 - 60] as [TimeInterval] {
            var card = active()
            card.apply(.ended, at: startedAt + 8 * 3600 + lateness)
            #expect(card.dismissedAt == removedAt)
            card.apply(.dismissed, at: removedAt)
            #expect(card.state == .dismissed)
        }
        // Its app ended it, and tells so later.
        var card = active()
        card.apply(.ended, at: noon + 3600, happenedAt: noon)
        #expect(card.dismissedAt == noon + 4 * 3600)
        // Clocks differ: the phone's removal is no swipe.
        card = active()
        card.apply(.ended, at: startedAt + 8 * 3600)
        card.apply(.dismissed, at: removedAt, happenedAt: removedAt - 2)
        #expect(card.state == .dismissed)
        // Nobody told of its end.
        card = active()
        card.apply(.dismissed, at: removedAt)
        #expect(card.state == .dismissed)
        card = active()
        card.apply(.ended, at: startedAt + 8 * 3600)
        card.apply(.dismissed, at: removedAt, happenedAt: removedAt - 3600)
        #expect(card.state == .swiped)
    }

    @Test("What the phone has proved lost is sent again at priority 5, and a newer state at 10")
    func lossAtLowPriority() throws {
        let wanted = Activity(.shows(6, phase: .packed))
        var card = Card.any(
            of: wanted, on: .any(), .active, sent: .shows(6, phase: .packed), startedAt: noon, lastPushAt: noon)
        card.apply(.shown(.init(version: 1, step: 0)), at: noon + 60)
        let due = decide(wanted, card, on: .any(), others: [], limits: .apns, now: noon + 60)
        #expect(due == .update(.low, alert: nil))
        let newer = Activity(.shows(7, phase: .onTheWay))
        #expect(
            decide(newer, card, on: .any(), others: [], limits: .apns, now: noon + 60) == .update(.high, alert: nil))
        // As often as it is lost; and before it goes stale once more.
        let lease = card.lease(due, wanted.wanted, limits: .apns, now: noon + 60)
        let again = try #require(lease)
        _ = card.record(again, .accepted(), now: noon + 60)
        #expect(card.refreshed == nil)
        card.apply(.shown(.init(version: 1, step: 0)), at: noon + 120)
        #expect(
            decide(wanted, card, on: .any(), others: [], limits: .apns, now: noon + 120) == .update(.low, alert: nil))

        let ended = Activity(.ends(8, at: noon))
        var over = Card.any(of: ended, on: .any(), .ended, sent: ended.wanted, startedAt: noon, lastPushAt: noon)
        (over.dismissedAt, over.updateToken) = (noon + 900, "cd")
        over.apply(.shown(.init(version: 7, step: 0)), at: noon + 60)
        #expect(over.state == .active)
        let end = decide(ended, over, on: .any(), others: [], limits: .apns, now: noon + 60)
        let endLease = over.lease(end, ended.wanted, limits: .apns, now: noon + 60)
        let push = try #require(endLease)
        #expect(push.event == .end && push.priority == .low)
    }

    @Test("Of a card that is over it is not said any more that its push is on its way, nor that it is behind")
    func reasonOfClosed() {
        for state in Card.State.allCases {
            var stored = StoredCard(active())
            stored.reason = Decision.Reason.inFlight.rawValue
            stored.behindSince = noon
            stored.card.state = state
            #expect(stored.reason == (state.isOpen ? "in_flight" : "over"), "\(state)")
            #expect((stored.behindSince == nil) == !state.isOpen, "\(state)")
        }
    }

    @Test("A card that leaves because another has taken its place was not swiped away")
    func replaced() {
        for (isReplaced, state) in [(true, Card.State.replaced), (false, .swiped)] {
            var card = active()
            card.apply(.dismissed, at: noon, isReplaced: isReplaced)
            #expect(card.state == state)
        }
    }

    @Test("A card that its app misses while its end is on its way has ended, and needs no other in its place")
    func missingWhileEnding() throws {
        for (becomes, state) in [(Card.State.ended, Card.State.dismissed), (.replaced, .replaced)] {
            var card = active()
            let leased = card.lease(
                .end(dismissal: 0, becomes: becomes, alert: nil), activity.wanted, limits: .apns, now: noon)
            _ = try #require(leased)
            let startsAgain = card.applyMissing(seenAt: noon + 1)
            #expect(!startsAgain && card.state == state)
        }
    }
}
