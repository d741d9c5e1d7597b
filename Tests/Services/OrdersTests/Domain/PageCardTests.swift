import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import Testing
import WireCoding

@testable import Orders

@Suite("What a page's card shows")
struct PageCardTests {
    @Test(
        "Without an answer of activity-dispatch it may be old while it changes with the courier's position, and else not",
        arguments: [
            (.staged, false), (.pickedUp, true), (.enRoute, true), (.arriving, true), (.atDoor, false),
            (.delivered, false),
        ] as [(StatusCode, Bool)])
    func unanswered(code: StatusCode, isOutdated: Bool) throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: code)
        let now = delivery.statusSince
        let own = OrderIntents(dismissal: .standard).intent(for: delivery, links: [], estimate: nil, at: now).step
        let card = PageCard(wanted: nil, isFollowed: false, own: own, of: delivery, now: now.epochSeconds)
        #expect(card.isOutdated == isOutdated)
    }

    @Test(
        "While nothing changes, a state at the door and after a failed attempt holds, and one on its way becomes stale",
        arguments: [(.enRoute, .stale), (.arriving, .stale), (.atDoor, .active), (.attempted, .active)]
            as [(StatusCode, PhoneCard.State)])
    func unchanged(code: StatusCode, state: PhoneCard.State) throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: code == .attempted ? .atDoor : code)
        if code == .attempted { try delivery.change(.status(.attempted, reason: nil)) }
        let intents = OrderIntents(dismissal: .standard)
        let (start, now) = (delivery.statusSince, delivery.statusSince.addingTimeInterval(40 * 60))
        // As `courier-eta` writes it.
        let first = intents.intent(for: delivery, links: [], estimate: nil, at: start).step
        var content = first.content
        content.revision = Revision(version: content.revision.version, step: 1)
        let wanted = WantedCards.Card(
            delivery: delivery.id, activity: ActivityID(delivery.id, episode: delivery.episode),
            step: first.with(content), at: start.epochSeconds)
        let card = PageCard(
            wanted: wanted, own: intents.intent(for: delivery, links: [], estimate: nil, at: now).step, of: delivery,
            now: now.epochSeconds)
        #expect(card.step.content == content && card.since == wanted.at)
        #expect(card.phoneCard(at: now.epochSeconds).state == state)
    }
}
