import Foundation
import LiveActivity
import Messages
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("Ends that are sent once more")
struct RepeatedEndTests {
    private let shown = Activity(.shows(3))
    private let over: Activity

    init() {
        over = Activity(.ends(4, at: noon))
    }

    private func decided(_ card: Card, of activity: Activity, at now: Date, _ limits: Limits = .apns) -> Decision {
        decide(activity, card, on: .any(), others: [], limits: limits, now: now)
    }

    /// Sends an end to a card, which is taken.
    private func push(
        _ card: inout Card, _ decision: Decision, of activity: Activity, at now: Date, _ limits: Limits = .apns
    ) throws -> Push {
        let leased = card.lease(decision, activity.wanted, limits: limits, now: now)
        let push = try #require(leased)
        let isNewest = card.record(push, .accepted(), now: now)
        #expect(isNewest)
        return push
    }

    private func active(_ activity: Activity) -> Card {
        .any(of: activity, on: .any(), .active, sent: .shows(3), startedAt: noon - 3600, lastPushAt: noon - 60)
    }

    @Test("An end that nobody has said to have arrived is sent after two minutes and after eight more, at priority 5")
    func repeated() throws {
        var card = active(over)
        let end = Decision.end(dismissal: noon.epochSeconds + 900, becomes: .ended, alert: nil)
        #expect(try push(&card, end, of: over, at: noon).priority == .high)
        #expect(decided(card, of: over, at: noon + 119) == .wait(until: noon + 120, .ended))
        #expect(decided(card, of: over, at: noon + 120) == end)
        #expect(try push(&card, end, of: over, at: noon + 120).priority == .low)
        #expect(card.state == .ended)
        #expect(decided(card, of: over, at: noon + 599) == .wait(until: noon + 600, .ended))
        #expect(try push(&card, end, of: over, at: noon + 600).priority == .low)
        #expect(decided(card, of: over, at: noon + 601) == .wait(until: noon + 900, .ended))
        #expect(decided(card, of: over, at: noon + 900) == .close(.dismissed))
    }

    @Test(
        "So is the end of a card that left the screen at once: replaced, taken off by an operator or another's",
        arguments: [Card.State.replaced, .dismissed, .signedOut])
    func removed(becomes: Card.State) throws {
        var card = active(shown)
        let end = Decision.end(dismissal: 0, becomes: becomes, alert: nil)
        _ = try push(&card, end, of: shown, at: noon)
        #expect(card.state == becomes)
        #expect(decided(card, of: shown, at: noon + 119) == .wait(until: noon + 120, .over))
        #expect(decided(card, of: shown, at: noon + 120) == end)
        #expect(try push(&card, end, of: shown, at: noon + 120).priority == .low)
        #expect(card.state == becomes)
        #expect(decided(card, of: shown, at: noon + 600) == end)
        _ = try push(&card, end, of: shown, at: noon + 600)
        #expect(decided(card, of: shown, at: noon + 3600) == .nothing(.over))
    }

    @Test("A stream keeps each push until it is read, so that no end is sent to it twice")
    func stream() throws {
        var card = active(shown)
        let end = Decision.end(dismissal: 0, becomes: .replaced, alert: nil)
        _ = try push(&card, end, of: shown, at: noon, .stream)
        #expect(decided(card, of: shown, at: noon + 120, .stream) == .nothing(.over))
    }

    @Test("What has arrived is not sent again: the app says so, lacks the card, or Apple calls its token gone")
    func arrived() throws {
        for (activity, state) in [(over, Card.State.ended), (shown, .replaced)] {
            var card = active(activity)
            card.instance = "A"
            let end = Decision.end(dismissal: 0, becomes: state, alert: nil)
            _ = try push(&card, end, of: activity, at: noon)
            #expect(card.endRepeatAt == noon + 120)
            for report in [
                DeviceReport(card: card.id, content: .card(.ended)),
                DeviceReport(card: card.id, content: .card(.dismissed)), DeviceReport(content: .inventory([])),
            ] {
                var reported = ReportedCards(
                    device: .any(), cards: [card], activities: [activity.id: activity], limits: .apns,
                    now: noon + 60, newID: { UUID() })
                reported.apply(report)
                #expect(reported.cards.map(\.endRepeatAt) == [nil], "\(report.content)")
            }
            let again = card.lease(end, activity.wanted, limits: .apns, now: noon + 120)
            _ = card.record(try #require(again), .gone(token: "cd", since: noon + 100), now: noon + 121)
            #expect(card.endRepeatAt == nil && card.state == state)
        }
    }

    @Test("A card that is over has no part in what its device's open cards are decided by")
    func otherCards() throws {
        var old = active(shown)
        let new = Card.any(of: shown, on: .any(), .active, sent: shown.wanted, startedAt: noon, lastPushAt: noon)
        old.replaces = new.id
        _ = try push(&old, .end(dismissal: 0, becomes: .replaced, alert: nil), of: shown, at: noon)
        var reconciliation = DeviceReconciliation(
            device: .any(), cards: [old, new].map { ActivityCard(activity: shown, card: $0) }, limits: .apns,
            now: noon + 7.5 * 3600)
        reconciliation.run(leased: [], newID: { UUID() }) { _ in nil }
        #expect(reconciliation.pushes.map(\.card) == [old.id, reconciliation.cards[2].card.id])
        #expect(reconciliation.cards[2].card.replaces == new.id)
    }
}
