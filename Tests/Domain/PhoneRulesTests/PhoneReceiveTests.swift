import LiveActivity
import PhoneRules
import Testing

@Suite("Pushes that a phone receives")
struct PhoneReceiveTests {
    static let noon = Pushes.noon
    let noon = Pushes.noon

    /// A push that changes nothing, the pushes before it, and why.
    struct Refused: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var permission = Phone.Permission.allowed
        var before: [(card: String, push: PushPayload)] = []
        let push: PushPayload
        let why: PushRefusal
    }

    static let refused: [Refused] = [
        Refused(testDescription: "update of a card never started", push: Pushes.update(noon), why: .unknownCard),
        Refused(testDescription: "end of a card never started", push: Pushes.end(noon), why: .unknownCard),
        Refused(
            testDescription: "start without an alert", push: Pushes.start(noon, isAlerting: false),
            why: .startWithoutAlert),
        Refused(
            testDescription: "start without attributes", push: Pushes.start(noon, hasAttributes: false),
            why: .startWithoutAttributes),
        Refused(
            testDescription: "second start", before: [("a", Pushes.start(noon))], push: Pushes.start(noon + 1),
            why: .alreadyStarted),
        Refused(
            testDescription: "older update", before: [("a", Pushes.start(noon))], push: Pushes.update(noon - 1),
            why: .older),
        Refused(
            testDescription: "older end", before: [("a", Pushes.start(noon))], push: Pushes.end(noon - 1), why: .older),
        Refused(
            testDescription: "update as old as what is shown",
            before: [("a", Pushes.start(noon)), ("a", Pushes.update(noon + 5, step: 1))],
            push: Pushes.update(noon + 5, step: 2), why: .repeated),
        Refused(
            testDescription: "update after the end",
            before: [("a", Pushes.start(noon)), ("a", Pushes.end(noon + 1, dismissalAt: noon + 900))],
            push: Pushes.update(noon + 2), why: .alreadyEnded),
        Refused(
            testDescription: "start after the end",
            before: [("a", Pushes.start(noon)), ("a", Pushes.end(noon + 1, dismissalAt: noon + 900))],
            push: Pushes.start(noon + 2), why: .alreadyEnded),
        Refused(
            testDescription: "update after the dismissal",
            before: [("a", Pushes.start(noon)), ("a", Pushes.end(noon + 1, dismissalAt: 0))],
            push: Pushes.update(noon + 2), why: .alreadyEnded),
        Refused(
            testDescription: "start while switched off", permission: .switchedOff, push: Pushes.start(noon),
            why: .denied),
        Refused(
            testDescription: "sixth card", before: ["b", "c", "d", "e", "f"].map { ($0, Pushes.start(noon)) },
            push: Pushes.start(noon + 1), why: .targetMaximumExceeded),
    ]

    @Test("A push that the phone refuses changes nothing", arguments: refused)
    func refuses(row: Refused) {
        var phone = Phone(permission: row.permission, now: noon)
        for (card, push) in row.before { _ = phone.receive(push, card: card, at: noon) }
        let before = phone
        #expect(phone.refusal(of: row.push, card: "a") == row.why)
        #expect(phone.receive(row.push, card: "a", at: noon).isEmpty)
        #expect(phone == before)
    }

    @Test("A start that the switch refuses is remembered as dismissed where that is asked for, and no other push is")
    func remembersDenied() {
        var phone = Phone(permission: .switchedOff, now: noon)
        let first = phone.rememberDenied(Pushes.start(noon), card: "a")
        #expect(first?.kind == .dismissed && first?.card.state == .dismissed)
        let others = [
            phone.rememberDenied(Pushes.start(noon), card: "a"), phone.rememberDenied(Pushes.update(noon), card: "b"),
        ]
        _ = phone.switchLiveActivities(on: true, at: noon)
        let allowed = phone.rememberDenied(Pushes.start(noon), card: "c")
        #expect(others == [nil, nil] && allowed == nil)
        #expect(phone.rememberedCards.map(\.id) == ["a"] && phone.liveCards.isEmpty)
        #expect(phone.refusal(of: Pushes.start(noon + 1), card: "a") == .alreadyEnded)
    }

    @Test("An ended card makes room for another")
    func roomAfterEnd() {
        var phone = Phone()
        for card in ["b", "c", "d", "e", "f"] { _ = phone.receive(Pushes.start(noon), card: card, at: noon) }
        _ = phone.receive(Pushes.end(noon + 1, dismissalAt: noon + 900), card: "c", at: noon + 1)
        #expect(phone.receive(Pushes.start(noon + 2), card: "a", at: noon + 2).map(\.kind) == [.start])
        #expect(phone.lockScreen.count == 6, "the ended one is still on the Lock Screen")
    }

    @Test("An end shows its own content until it is dismissed")
    func contentOfEnd() {
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon, step: 1), card: "a", at: noon)
        let events = phone.receive(Pushes.end(noon + 1, step: 2, dismissalAt: noon + 900), card: "a", at: noon + 1)
        #expect(events.map(\.kind) == [.end])
        #expect(phone[card: "a"]?.content.revision.step == 2)
        #expect(phone[card: "a"]?.dismissedAt == noon + 900)
    }

    @Test("A start lights the screen with its alert")
    func alert() {
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon), card: "a", at: noon + 3)
        let alert = phone[card: "a"]?.alert
        #expect(alert?.content.title == .plain("Order received"))
        #expect(alert?.at == noon + 3)
    }
}
