import FlowControl
import Foundation
import LiveActivity
import Messages
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("What a device should show")
struct WantedActivitiesTests {
    private let activity = Activity(.shows(3))

    @Test("A device should show what is live, first things first, as its cards are; nothing that was swiped away")
    func wanted() {
        let activities = (1...7).map { number in
            Activity(.shows(1, activity: "a\(number)", arrival: 10_000 - number), id: "a\(number)")
        }
        let card = Card.any(of: activities[6], on: .any(), .waiting)
        let swiped = Card.any(of: activities[5], on: .any(), .swiped)
        let wanted = wantedActivities(of: activities, on: .any(), cards: [card, swiped], limits: .apns, now: noon)
        #expect(wanted.map(\.id.rawValue) == ["a7", "a5", "a4", "a3", "a2"])
        #expect(wanted.map(\.card) == [card.id, nil, nil, nil, nil])
        #expect(wanted[0].shown.attributes.card == card.id.uuidString.lowercased())
        var off = Device.any()
        off.isEnabled = false
        #expect(wantedActivities(of: activities, on: off, cards: [], limits: .apns, now: noon).isEmpty)
    }

    @Test("Cards on the screen keep their slots, and free ones go to what is to start by now")
    func slots() {
        func activity(_ id: String, _ arrival: Int, startAt: Int = 0) -> Activity {
            Activity(.shows(1, activity: id, arrival: arrival, startAt: startAt), id: id)
        }
        func wanted(_ activities: [Activity], _ cards: [Card]) -> [String] {
            wantedActivities(of: activities, on: .any(), cards: cards, limits: .apns, now: noon).map(\.id.rawValue)
        }
        let five = (1...5).map { activity("on\($0)", 10_000 + $0) }
        let shown = five.map { Card.any(of: $0, on: .any(), .active, sent: $0.wanted, startedAt: noon) }
        let sooner = activity("sooner", 5_000)
        let waiting = Card.any(of: sooner, on: .any())
        #expect(wanted(five + [sooner], shown + [waiting]) == ["on1", "on2", "on3", "on4", "on5"])
        // A free slot is of what starts now, though a delivery of tomorrow ranks first.
        let tomorrow = activity("tomorrow", 1_000, startAt: noon.epochSeconds + 86_400)
        let four = Array(five.prefix(4))
        let all = four + [tomorrow, sooner]
        #expect(
            wanted(all, Array(shown.prefix(4)) + [Card.any(of: tomorrow, on: .any()), waiting])
                == ["sooner", "on1", "on2", "on3", "on4"])
        // A replacement has the slot of its predecessor.
        var next = Card.any(of: five[0], on: .any())
        next.replaces = shown[0].id
        #expect(
            wanted(five + [sooner], shown + [next, waiting]) == ["on1", "on2", "on3", "on4", "on5"])
    }

    @Test("Where no push can start a card, one that is scheduled for later leaves its slot to one that is due")
    func scheduledForLater() {
        let four = (1...4).map { Activity(.shows(1, activity: "on\($0)", arrival: 10_000 + $0), id: "on\($0)") }
        let startAt = noon + 3600
        let later = Activity(.shows(1, activity: "later", arrival: 1_000, startAt: startAt.epochSeconds), id: "later")
        let due = Activity(.shows(1, activity: "due", arrival: 20_000), id: "due")
        var scheduled = Card.any(of: later, on: .any())
        scheduled.schedule("Q", at: startAt, token: "cd")
        let shown = four.map { Card.any(of: $0, on: .any(), .active, sent: $0.wanted, startedAt: noon) }
        let cards = shown + [scheduled, Card.any(of: due, on: .any())]
        func wanted(on device: Device) -> [String] {
            wantedActivities(of: four + [later, due], on: device, cards: cards, limits: .apns, now: noon)
                .map(\.id.rawValue)
        }
        #expect(wanted(on: .any()) == ["later", "on1", "on2", "on3", "on4"], "a push starts the other, and makes room")
        var withoutToken = Device.any()
        withoutToken.pushToStartToken = nil
        #expect(wanted(on: withoutToken) == ["on1", "on2", "on3", "on4", "due"])
    }

    @Test("What a push may be about to start is not started by the app too, for as long as a push may take")
    func inFlight() throws {
        let activities = (1...6).map { number in
            Activity(.shows(1, activity: "a\(number)", arrival: 10_000 + number), id: "a\(number)")
        }
        var card = Card.any(of: activities[0], on: .any())
        let leased = card.lease(.start(alert: nil), activities[0].wanted, limits: .apns, now: noon)
        let push = try #require(leased)
        func wanted(at now: Date) -> [String] {
            wantedActivities(of: activities, on: .any(), cards: [card], limits: .apns, now: now).map(\.id.rawValue)
        }
        // It has its slot: the sixth has none.
        #expect(wanted(at: noon) == ["a2", "a3", "a4", "a5"])
        card.inFlight?.isHandedOver = true
        #expect(wanted(at: noon) == ["a2", "a3", "a4", "a5"])
        let isNewest = card.record(push, .accepted(), now: noon + 1)
        #expect(isNewest && card.state == .starting)
        #expect(wanted(at: noon + 29) == ["a2", "a3", "a4", "a5"])
        #expect(wanted(at: noon + 30).first == "a1")
        var refused = Card.any(of: activities[0], on: .any())
        let second = refused.lease(.start(alert: nil), activities[0].wanted, limits: .apns, now: noon)
        _ = refused.record(try #require(second), .refused(reason: "TooManyRequests"), now: noon)
        card = refused
        #expect(wanted(at: noon).first == "a1")
    }

    @Test("A start that no app has confirmed within twelve hours is wanted as a new card, except after a swipe")
    func lostStart() {
        let over = noon + 12 * 3600
        let starting = Card.any(of: activity, on: .any(), .starting, startedAt: noon, lastPushAt: noon)
        #expect(decide(activity, starting, on: .any(), others: [], limits: .apns, now: over) == .close(.lost))
        var lost = starting
        lost.close(as: .lost)
        func wanted(_ cards: [Card], at now: Date) -> [UUID?] {
            wantedActivities(of: [activity], on: .any(), cards: cards, limits: .apns, now: now).map(\.card)
        }
        #expect(wanted([lost], at: over) == [nil])
        #expect(wanted([lost], at: over - 1).isEmpty, "it may still be on the Lock Screen")
        #expect(wanted([.any(of: activity, on: .any(), .swiped), lost], at: over).isEmpty)
        #expect(wanted([lost, .any(of: activity, on: .any(), .swiped)], at: over).isEmpty)
        var named = lost
        named.instance = "A"
        var mustEnd = lost
        mustEnd.mustEnd = true
        #expect(wanted([named], at: over).isEmpty && wanted([mustEnd], at: over).isEmpty)
        let many = Array(repeating: lost, count: ReportedCards.claimsPerActivityMax)
        #expect(wanted(many, at: over).isEmpty)
        let missing = missingCards(of: [activity], on: .any(), cards: [lost])
        #expect(missing.isEmpty, "no push starts another")
    }

    @Test("What an app puts on a card counts as made before every later push, and not before one that was sent")
    func timestamps() throws {
        let second = noon.epochSeconds
        #expect(WantedActivity.timestamp(of: nil, at: noon) == second - 1)
        var card = Card.any(of: activity, on: .any(), .active)
        for last in [0, second - 60, second - 1, second, second + 5] {
            card.lastTimestamp = last
            let timestamp = WantedActivity.timestamp(of: card, at: noon)
            var later = card
            let leased = later.lease(.update(.high, alert: nil), activity.wanted, limits: .apns, now: noon)
            let push = try #require(leased)
            #expect(timestamp < push.timestamp && timestamp >= last)
        }
        let wanted = wantedActivities(of: [activity], on: .any(), cards: [card], limits: .apns, now: noon)
        #expect(wanted.map(\.timestamp) == [second + 5])
    }

    private func large(name: Int = 0, url: Int = 0) -> Activity {
        guard case .show(let shown) = ActivityStep.shows(3) else { return activity }
        var content = shown.content
        content.detail = Phrase(code: "of_tomorrow", text: String(repeating: "d", count: name))
        content.buttons = [CardButton(verb: "details", title: "", url: String(repeating: "u", count: url))]
        return Activity(
            .show(
                ShownActivity(
                    attributes: shown.attributes, content: content, startAt: 0, staleAt: farAhead, relevance: 0,
                    alert: nil)))
    }

    @Test("What an app starts is shortened as a push is, and what no phone could take is left out")
    func fits() throws {
        let card = Card.any(of: activity, on: .any())
        for cards in [[card], []] {
            let wanted = wantedActivities(
                of: [large(name: 5000)], on: .any(), cards: cards, limits: .apns, now: noon)
            let shown = try #require(wanted.first).shown
            #expect(shown.attributes.encodedBytes + shown.content.encodedBytes <= PushPayload.payloadBytesMax)
            #expect(shown.attributes.card == cards.first?.id.uuidString.lowercased())
            let none = wantedActivities(of: [large(url: 5000)], on: .any(), cards: cards, limits: .apns, now: noon)
            #expect(none.isEmpty)
        }
    }

    @Test("A device that comes late is sent no start that no phone could take")
    func lateStartFits() throws {
        func push(_ activity: Activity) throws -> Push {
            var card = Card.any(of: activity, on: .any("phone", .stream), .active, sent: .shows(1), startedAt: noon)
            let leased = card.lease(.update(.high, alert: nil), activity.wanted, limits: .stream, now: noon)
            return try #require(leased)
        }
        let late = try push(large(name: 5000))
        let text = try #require(try late.startEventText(delivery: nil))
        #expect(text == (try late.event(late.payloadAsStart, delivery: nil)))
        #expect(try push(large(url: 5000)).startEventText(delivery: nil) == nil)
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
