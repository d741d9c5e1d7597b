import LiveActivity
import PhoneRules
import Testing

@Suite("A phone as time passes")
struct PhoneTimeTests {
    let noon = Pushes.noon

    @Test("A card becomes stale at its date and the next update makes it active again")
    func stale() {
        var phone = Phone()
        #expect(phone.receive(Pushes.start(noon, staleAt: noon + 60), card: "a", at: noon).map(\.kind) == [.start])
        #expect(phone.advance(to: noon + 59).isEmpty)
        let events = phone.advance(to: noon + 300)
        #expect(events.map(\.kind) == [.stale])
        #expect(events.map(\.at) == [noon + 60])
        #expect(phone[card: "a"]?.state == .stale)
        #expect(phone.receive(Pushes.update(noon + 300), card: "a", at: noon + 300).map(\.kind) == [.update])
        #expect(phone[card: "a"]?.state == .active)
        #expect(phone.advance(to: noon + 900).isEmpty, "an update without a stale date takes the old one away")
    }

    @Test("An update that is stale already is shown as stale")
    func staleOnArrival() {
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon), card: "a", at: noon)
        let events = phone.receive(Pushes.update(noon + 10, staleAt: noon + 20), card: "a", at: noon + 100)
        #expect(events.map(\.kind) == [.update, .stale])
        #expect(events.map(\.at) == [noon + 100, noon + 100])
    }

    @Test("After eight hours the system ends a card, and four hours later it leaves")
    func eightHours() {
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon, staleAt: noon + 60), card: "a", at: noon)
        let events = phone.advance(to: noon + 13 * 3600)
        #expect(events.map(\.kind) == [.stale, .end, .dismissed])
        #expect(events.map(\.at) == [noon + 60, noon + 8 * 3600, noon + 12 * 3600])
    }

    @Test("An end by the system is known as such, and one that was sent is not")
    func endedBySystem() {
        var phone = Phone()
        for card in ["a", "b"] { _ = phone.receive(Pushes.start(noon), card: card, at: noon) }
        _ = phone.receive(Pushes.end(noon + 10), card: "b", at: noon + 10)
        _ = phone.advance(to: noon + 8 * 3600)
        #expect(phone[card: "a"]?.wasEndedBySystem == true)
        #expect(phone[card: "b"]?.wasEndedBySystem == false)
    }

    @Test("Updates do not extend a card beyond eight hours")
    func updatesDoNotExtend() {
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon), card: "a", at: noon)
        _ = phone.receive(Pushes.update(noon + 7 * 3600), card: "a", at: noon + 7 * 3600)
        _ = phone.advance(to: noon + 8 * 3600)
        #expect(phone[card: "a"]?.state == .ended)
    }

    @Test(
        "An ended card leaves at its dismissal date, at the latest four hours after the end",
        arguments: [
            (nil, 4 * 3600), (900, 900), (5 * 3600, 4 * 3600), (0, 0), (-1_000_000_000, 0),
        ] as [(Int?, Int)])
    func dismissal(seconds: Int?, leavesAfter: Int) {
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon), card: "a", at: noon)
        let ended = noon + 100
        var events = phone.receive(
            Pushes.end(ended, dismissalAt: seconds.map { ended + $0 }), card: "a", at: ended)
        events += phone.advance(to: ended + 24 * 3600)
        #expect(events.map(\.kind) == [.end, .dismissed])
        #expect(events.map(\.at) == [ended, ended + leavesAfter])
        #expect(phone.lockScreen.isEmpty)
    }

    @Test("The time of the next change is known, so that a screen can sleep until then")
    func nextChange() {
        var phone = Phone()
        #expect(phone.nextChangeAt == nil)
        _ = phone.receive(Pushes.start(noon, staleAt: noon + 60), card: "a", at: noon)
        #expect(phone.nextChangeAt == noon + 60)
        _ = phone.advance(to: noon + 60)
        #expect(phone.nextChangeAt == noon + 8 * 3600)
        _ = phone.receive(Pushes.end(noon + 70, dismissalAt: noon + 400), card: "a", at: noon + 70)
        #expect(phone.nextChangeAt == noon + 400)
        _ = phone.advance(to: noon + 400)
        #expect(phone.nextChangeAt == nil)
    }

    @Test("Time that runs backwards changes nothing")
    func backwards() {
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon, staleAt: noon + 60), card: "a", at: noon)
        _ = phone.advance(to: noon + 60)
        let before = phone
        #expect(phone.advance(to: noon).isEmpty)
        #expect(phone == before)
    }
}
