import Foundation
import LiveActivity
import PhoneRules
import Testing

@Suite("The screen of a phone")
struct PhoneScreenTests {
    let noon = Pushes.noon

    /// A phone with a card for each relevance, named a, b, c… in the order they started.
    func phone(_ relevances: [Double?], _ phone: Phone = Phone()) -> Phone {
        var phone = phone
        for (id, relevance) in zip(["a", "b", "c", "d", "e"], relevances) {
            _ = phone.receive(Pushes.start(noon, relevance: relevance), card: id, at: noon)
        }
        return phone
    }

    @Test(
        "Cards are ordered by relevance, then the first started",
        arguments: [
            ([50, 100, 75], ["b", "c", "a"]), ([nil, nil, nil], ["a", "b", "c"]), ([50, 50, 50], ["a", "b", "c"]),
            ([0, nil, 1], ["c", "a", "b"]), ([-1, 0], ["b", "a"]),
        ] as [([Double?], [String])])
    func order(relevances: [Double?], ids: [String]) throws {
        let phone = phone(relevances)
        #expect(phone.lockScreen.map(\.id) == ids)
        guard case .compact(let card) = phone.island else { throw NotInIsland() }
        #expect(card.id == ids.first)
    }

    struct NotInIsland: Error {}

    @Test("An update's relevance takes the place of the former, also where it has none")
    func updatedRelevance() {
        var phone = phone([50, 100])
        _ = phone.receive(Pushes.update(noon + 1, relevance: 200), card: "a", at: noon + 1)
        #expect(phone.lockScreen.map(\.id) == ["a", "b"])
        _ = phone.receive(Pushes.update(noon + 2), card: "a", at: noon + 2)
        #expect(phone.lockScreen.map(\.id) == ["b", "a"])
    }

    @Test(
        "One card of ours is compact; beside another app's it is minimal, and the newest update among apps comes first")
    func minimal() throws {
        var phone = phone([50, 100])
        let top = try #require(phone[card: "b"])
        #expect(phone.island == .compact(top))
        phone.otherApps = [.init(.app, updatedAt: noon - 1)]
        #expect(phone.island == .minimal(top, .attached))
        phone.otherApps = [.init(.app, updatedAt: noon + 10)]
        #expect(phone.island == .minimal(top, .detached))
        phone.isIslandExpanded = true
        #expect(phone.island == .expanded(top))
        phone.isIslandExpanded = false
        _ = phone.receive(Pushes.update(noon + 11), card: "a", at: noon + 11)
        #expect(phone.island == .minimal(top, .attached), "which card of ours it is, relevance says")
        phone.otherApps = []
        #expect(phone.island == .compact(top))
    }

    @Test("Calls, music and timers come first however old; two others leave ours no place but the Lock Screen")
    func comesFirst() throws {
        for kind in Phone.OtherApp.Kind.allCases where kind.comesFirst {
            var phone = phone([50])
            let card = try #require(phone[card: "a"])
            phone.otherApps = [.init(kind, updatedAt: noon - 3600)]
            #expect(phone.island == .minimal(card, .detached))
            phone.otherApps.append(.init(.app, updatedAt: noon - 1))
            #expect(phone.island == .minimal(card, .detached), "ours is newer than the other app's")
            phone.otherApps.append(.init(.app, updatedAt: noon + 1))
            #expect(phone.island == .empty && phone.lockScreen.map(\.id) == ["a"])
            #expect(phone.otherApps.map(\.kind) == [kind, .app])
            _ = phone.receive(Pushes.update(noon + 2), card: "a", at: noon + 2)
            #expect(phone.island == .minimal(try #require(phone[card: "a"]), .detached))
        }
    }

    @Test("A phone that was stored before other apps had an order is read, and is alone in its island")
    func formerPhone() throws {
        let phone = phone([50])
        var object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(phone)) as? [String: Any])
        object["updatedAt"] = nil
        object["besideAnotherApp"] = "attached"
        let read = try JSONDecoder().decode(Phone.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(read.island == phone.island && read.otherApps.isEmpty)
    }

    @Test("A phone without an island has the Lock Screen alone")
    func withoutIsland() {
        let phone = phone([50], Phone(hasIsland: false))
        #expect(phone.island == .empty)
        #expect(phone.lockScreen.map(\.id) == ["a"])
    }

    @Test("A swipe in the island hides a card there only, and the next one takes its place")
    func swipeInIsland() throws {
        var phone = phone([100, 50])
        #expect(phone.swipeInIsland()?.id == "a")
        #expect(phone.island == .compact(try #require(phone[card: "b"])))
        #expect(phone.lockScreen.map(\.id) == ["a", "b"])
        _ = phone.receive(Pushes.update(noon + 1, relevance: 200), card: "a", at: noon + 1)
        #expect(phone.island == .compact(try #require(phone[card: "b"])), "an update does not bring it back")
        #expect(phone.swipeInIsland()?.id == "b")
        #expect(phone.island == .empty)
        #expect(phone.swipeInIsland() == nil)
    }

    @Test("A swipe on the Lock Screen dismisses a card permanently")
    func swipeOnLockScreen() {
        var phone = phone([100, 50])
        #expect(phone.swipeOnLockScreen(card: "a", at: noon + 1).map(\.kind) == [.dismissed])
        #expect(phone.swipeOnLockScreen(card: "a", at: noon + 2).isEmpty)
        #expect(phone.lockScreen.map(\.id) == ["b"])
        #expect(phone.receive(Pushes.update(noon + 2), card: "a", at: noon + 2).isEmpty)
        #expect(phone.receive(Pushes.start(noon + 3), card: "a", at: noon + 3).isEmpty)
    }

    @Test("An ended card leaves the island at once and stays on the Lock Screen")
    func ended() {
        var phone = phone([100])
        _ = phone.receive(Pushes.end(noon + 1, dismissalAt: noon + 900), card: "a", at: noon + 1)
        #expect(phone.island == .empty)
        #expect(phone.lockScreen.map(\.state) == [.ended])
    }

    @Test("A stale card keeps its place in the island")
    func stale() throws {
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon, staleAt: noon + 60), card: "a", at: noon)
        _ = phone.advance(to: noon + 60)
        #expect(phone.island == .compact(try #require(phone[card: "a"])))
    }

    @Test("Until the question is answered a card is on the Lock Screen only")
    func notYetAllowed() {
        var phone = phone([100], Phone(permission: .notYetAllowed))
        #expect(phone.isAskingForPermission)
        #expect(phone.island == .empty)
        #expect(phone.lockScreen.count == 1)
        #expect(phone.switchLiveActivities(on: true, at: noon).isEmpty)
        #expect(!phone.isAskingForPermission)
        #expect(phone.island != .empty)
    }

    @Test("Switching off dismisses every card; switching on again brings none back")
    func switchedOff() {
        var phone = phone([100, 50])
        #expect(phone.switchLiveActivities(on: false, at: noon + 1).map(\.kind) == [.dismissed, .dismissed])
        #expect(phone.receive(Pushes.update(noon + 2), card: "a", at: noon + 2).isEmpty)
        #expect(phone.switchLiveActivities(on: true, at: noon + 3).isEmpty)
        #expect(phone.lockScreen.isEmpty)
        #expect(phone.receive(Pushes.start(noon + 4), card: "c", at: noon + 4).map(\.kind) == [.start])
    }

    @Test("Forgotten cards leave every screen, and a push for one of them is for an unknown card")
    func forgetting() {
        let noon = Pushes.noon
        var phone = Phone(hasIsland: false, permission: .allowed)
        _ = phone.receive(Pushes.start(noon), card: "a", at: noon)
        _ = phone.receive(Pushes.start(noon), card: "b", at: noon)
        _ = phone.receive(Pushes.end(noon + 5, dismissalAt: noon + 6), card: "b", at: noon + 10)
        let events = phone.forgetCards(at: noon + 20)
        #expect(events.map(\.kind) == [.dismissed] && events.first?.card.id == "a")
        #expect(phone.rememberedCards.isEmpty && !phone.hasIsland)
        #expect(phone.refusal(of: Pushes.update(noon + 30), card: "a") == .unknownCard)
        #expect(phone.receive(Pushes.start(noon + 30), card: "a", at: noon + 30).map(\.kind) == [.start])
    }
}
