import Foundation
import LiveActivity
import Messages
import OrderDomain
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
}
