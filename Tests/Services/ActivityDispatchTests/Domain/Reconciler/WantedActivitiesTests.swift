import FlowControl
import Foundation
import LiveActivity
import Messages
import Testing

@testable import ActivityDispatch

@Suite("What a device should show")
struct WantedActivitiesTests {
    private let activity = Activity(.shows(3))

    @Test("A device should show what is live, first things first, as its cards are; nothing that was swiped away")
    func wanted() {
        let activities = (1...7).map { number in
            Activity(.shows(1, activity: "a\(number)", arrival: 10_000 - number), id: "a\(number)")
        }
        let card = Card.any(of: activities[6], on: .any(), .starting)
        let swiped = Card.any(of: activities[5], on: .any(), .swiped)
        let wanted = wantedActivities(of: activities, on: .any(), cards: [card, swiped], limits: .apns)
        #expect(wanted.map(\.id.rawValue) == ["a7", "a5", "a4", "a3", "a2"])
        #expect(wanted.map(\.card) == [card.id, nil, nil, nil, nil])
        #expect(wanted[0].shown.attributes.card == card.id.uuidString.lowercased())
        var off = Device.any()
        off.isEnabled = false
        #expect(wantedActivities(of: activities, on: off, cards: [], limits: .apns).isEmpty)
    }

    @Test("A start carries its card's id in the attributes, for a reader who comes late too")
    func cardInAttributes() throws {
        var card = Card.any(of: activity, on: .any())
        let start = card.lease(.start(alert: nil), activity.wanted, limits: .apns, now: noon)
        let last = Decision.end(dismissal: 0, becomes: .ended, alert: nil)
        let end = card.lease(last, .ends(4, at: noon), limits: .apns, now: noon)
        let id = card.id.uuidString.lowercased()
        #expect(try #require(start).payload.aps.attributes?.card == id)
        #expect(try #require(start).payloadAsStart.aps.attributes?.card == id)
        #expect(try #require(end).payloadAsStart.aps.attributes?.card == id)
    }
}
