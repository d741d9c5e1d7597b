import Foundation
import LiveActivity
import PhoneRules
import Testing

@Suite("Pushes that Apple's service hands to an iPhone")
struct PushedPhoneTests {
    let noon = Pushes.noon

    // MARK: What is dropped

    /// A start that Apple's service accepts and no phone shows.
    static let droppedStarts: [(change: @Sendable (inout [String: Any]) -> Void, why: PushOutcome)] = [
        ({ $0["attributes-type"] = "OtherAttributes" }, .otherAttributesType),
        ({ $0["attributes-type"] = nil }, .otherAttributesType),
        ({ $0["attributes"] = nil }, .startWithoutAttributes),
        ({ $0["alert"] = nil }, .startWithoutAlert),
        ({ $0["alert"] = ["body": "no title"] }, .startWithoutAlert),
        ({ $0["content-state"] = ["headline": "Packing"] }, .undecodable),
        ({ $0["content-state"] = nil }, .undecodable),
        ({ $0["attributes"] = ["store": "Nordhavn"] }, .undecodable),
        ({ $0["timestamp"] = nil }, .unreadable),
        ({ $0["timestamp"] = "1795262400" }, .unreadable), ({ $0["timestamp"] = 1_795_262_400.5 }, .unreadable),
        ({ $0["event"] = "events" }, .unreadable),
        ({ $0["event"] = "update" }, .otherToken), ({ $0["event"] = "end" }, .otherToken),
        (
            {
                $0["alert"] = nil
                $0["content-state"] = nil
            }, .startWithoutAlert
        ),
    ]

    @Test("A start that breaks a rule is accepted and never shown", arguments: droppedStarts.indices)
    func dropsStart(index: Int) throws {
        var device = Device()
        let row = Self.droppedStarts[index]
        #expect(device.start(change: row.change) == row.why)
        #expect(device.phone.activities.isEmpty)
    }

    @Test("A start to a card's own token does nothing")
    func startToUpdateToken() {
        var device = Device()
        _ = device.start()
        let before = device.phone.activities
        #expect(device.push("start", noon + 1, token: before.first?.updateToken) == .otherToken)
        #expect(device.phone.activities == before)
    }

    @Test("What comes after the end is dropped as such, whether it could be decoded or not")
    func afterEnd() {
        var device = Device()
        _ = device.start()
        let token = device.phone.activities.first?.updateToken
        #expect(device.push("end", noon + 1, token: token) == .applied)
        #expect(device.update(noon + 2, token: token) == .alreadyEnded)
        #expect(device.update(noon + 3, token: token) { $0["content-state"] = 1 } == .alreadyEnded)
    }

    @Test("A push of more than 4 KB is dropped, though its parts are small")
    func payloadSize() {
        var device = Device()
        let filler = String(repeating: "x", count: 4096)
        #expect(device.start { $0["filler"] = filler } == .tooLarge)
        #expect(device.start() == .applied)
        #expect(device.update(noon + 1) { $0["filler"] = filler } == .tooLarge)
    }

    @Test("Attributes and content are 4 KB together, also where an update carries the content alone")
    func attributesPlusContent() {
        var device = Device()
        let attributes: @Sendable (inout [String: Any]) -> Void = { aps in
            aps["attributes"] = Device.attributes(store: String(repeating: "s", count: 2000))
        }
        #expect(device.start(change: attributes) == .applied)
        let detail: @Sendable (Int) -> @Sendable (inout [String: Any]) -> Void = { count in
            { $0["content-state"] = Device.content(headline: String(repeating: "h", count: count)) }
        }
        #expect(device.update(noon + 1, change: detail(2000)) == .tooLarge)
        #expect(device.update(noon + 2, change: detail(1000)) == .applied)
    }

    @Test("Content that does not decode leaves the card as it was")
    func undecodableUpdate() {
        var device = Device()
        _ = device.start()
        let before = device.phone.activities
        #expect(device.update(noon + 1) { $0["content-state"] = ["phase": "picking"] } == .undecodable)
        #expect(device.phone.activities == before)
    }

    @Test("An end without content keeps the last one, and without a date stays four hours")
    func endWithoutContent() throws {
        var device = Device()
        _ = device.start()
        let shown = try #require(device.phone.activities.first?.content)
        #expect(device.push("end", noon + 1) { $0["content-state"] = nil } == .applied)
        let ended = try #require(device.phone.activities.first)
        #expect(ended.state == .ended)
        #expect(ended.content == shown)
        device.time = noon + 4 * 3600 - 1
        _ = device.phone.advance(to: device.time)
        #expect(device.phone.activities.count == 1)
        _ = device.phone.advance(to: device.time + 1)
        #expect(device.phone.activities.isEmpty)
    }

    @Test("Two starts make two cards: nothing but the app can see that they are duplicates")
    func duplicates() {
        var device = Device()
        #expect(device.start() == .applied)
        #expect(device.start() == .applied)
        #expect(Set(device.phone.activities.map(\.instance)).count == 2)
        #expect(Set(device.phone.activities.map(\.attributes)).count == 1)
    }

    @Test("A token updates its own card and no other")
    func tokensAreApart() throws {
        var device = Device()
        _ = device.start()
        _ = device.start()
        let cards = device.phone.activities
        #expect(device.update(noon + 1, token: cards[1].updateToken, step: 7) == .applied)
        #expect(device.phone.activities.map(\.content.revision.step) == [0, 7])
    }

    // MARK: Budgets

    @Test("An hour's pushes of priority 10 are counted, and the rest dropped in silence; priority 5 is not counted")
    func budget() {
        var device = Device { $0.frequentBudget = 3 }
        _ = device.start()
        for second in 1...3 { #expect(device.update(noon + second) == .applied) }
        #expect(device.update(noon + 4) == .budgetExhausted)
        #expect(device.update(noon + 5, priority: 5) == .applied)
        #expect(device.phone.budget.left(at: noon) == 0)
        device.time = noon + 3600
        #expect(device.update(noon + 3601) == .applied)
    }

    @Test("Without frequent updates the hour's budget is the smaller one")
    func frequentUpdates() {
        var device = Device {
            $0.frequentBudget = 4
            $0.standardBudget = 2
        }
        _ = device.start()
        for second in 1...2 { #expect(device.update(noon + second) == .applied) }
        _ = device.phone.switchFrequentUpdates(on: false, at: noon)
        #expect(device.update(noon + 3) == .budgetExhausted)
        _ = device.phone.switchFrequentUpdates(on: true, at: noon)
        #expect(device.update(noon + 4) == .applied)
        let other = PushedPhone(device.phone.settings, allowsFrequentUpdates: false, at: noon)
        #expect(other.budget.left(at: noon) == 2)
    }

    @Test("Starts have a budget of their own, which starts that nothing shows use too")
    func startBudget() {
        var device = Device { $0.startBudget = 2 }
        #expect(device.start { $0["alert"] = nil } == .startWithoutAlert)
        #expect(device.start() == .applied)
        #expect(device.start() == .startBudgetExhausted)
        #expect(device.phone.budget.left(at: noon) == device.phone.settings.frequentBudget)
    }

    // MARK: Offline

    @Test("One push is kept while the phone is offline, the newest, and applied when it is back")
    func offline() throws {
        var device = Device()
        _ = device.start()
        _ = device.phone.setOnline(false, at: noon)
        #expect(device.settled(device.deliver(device.body("update", noon + 1, step: 1), id: "a")) == ["a": .stored])
        let second = device.deliver(device.body("update", noon + 2, step: 2), id: "b")
        #expect(device.settled(second) == ["a": .replaced, "b": .stored])
        #expect(device.phone.activities.first?.content.revision.step == 0)
        #expect(device.settled(device.phone.setOnline(true, at: noon + 60)) == ["b": .applied])
        #expect(device.phone.activities.first?.content.revision.step == 2)
    }

    @Test("A push whose expiration passed while the phone was offline is not applied")
    func expiration() {
        var device = Device()
        _ = device.start()
        _ = device.phone.setOnline(false, at: noon)
        _ = device.deliver(device.body("update", noon + 1, step: 1), id: "a", expiration: noon + 60)
        #expect(device.settled(device.phone.setOnline(true, at: noon + 60)) == ["a": .expired])
        #expect(device.phone.activities.first?.content.revision.step == 0)
    }

    @Test("A push with expiration zero is not kept, and does not replace what is")
    func expirationZero() {
        var device = Device()
        _ = device.start()
        _ = device.phone.setOnline(false, at: noon)
        _ = device.deliver(device.body("update", noon + 1, step: 1), id: "a")
        let zero = device.deliver(device.body("update", noon + 2, step: 2), id: "b", expiration: 0)
        #expect(device.settled(zero) == ["b": .notStored])
        #expect(device.settled(device.phone.setOnline(true, at: noon + 9)) == ["a": .applied])
    }

    // MARK: The screen

    @Test("An alert holds the island open for a moment, over the card that was in it")
    func alertExpands() throws {
        var device = Device()
        _ = device.start { $0["relevance-score"] = 50 }
        device.time = noon + 60
        _ = device.phone.advance(to: device.time)
        let first = try #require(device.phone.activities.first?.instance)
        guard case .compact(let compact) = device.phone.phone.alertedIsland else {
            Issue.record("\(device.phone.phone.alertedIsland)")
            return
        }
        #expect(compact.id == first)
        _ = device.start { $0["relevance-score"] = 1 }
        guard case .expanded(let expanded) = device.phone.phone.alertedIsland else {
            Issue.record("\(device.phone.phone.alertedIsland)")
            return
        }
        #expect(expanded.id != first)
        #expect(device.phone.phone.banner == nil)
        #expect(device.phone.nextChange(after: device.time) == device.time + Phone.alertSeconds)
        _ = device.phone.advance(to: device.time + Phone.alertSeconds)
        guard case .compact(let after) = device.phone.phone.alertedIsland else {
            Issue.record("\(device.phone.phone.alertedIsland)")
            return
        }
        #expect(after.id == first)
    }

    @Test("A phone without an island shows an alert as a banner")
    func banner() {
        var device = Device { $0.hasIsland = false }
        _ = device.start()
        #expect(device.phone.phone.banner?.id == device.phone.activities.first?.instance)
        #expect(device.phone.phone.alertedIsland == .empty)
        _ = device.phone.advance(to: noon + Phone.alertSeconds)
        #expect(device.phone.phone.banner == nil)
    }

    @Test("Dates of a push are compared with the phone's own clock")
    func deviceClock() {
        var device = Device()
        device.phone.clockSkewSeconds = 600
        #expect(device.start { $0["stale-date"] = Pushes.noon + 900 } == .applied)
        _ = device.phone.advance(to: noon + 299)
        #expect(device.phone.activities.first?.state == .active)
        _ = device.phone.advance(to: noon + 300)
        #expect(device.phone.activities.first?.state == .stale)
    }
}
