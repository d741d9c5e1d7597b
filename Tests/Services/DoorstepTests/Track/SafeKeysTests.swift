import CommandOutput
import DoorstepAPI
import LiveActivity
import PhoneRules
import Testing

@testable import Doorstep

@Suite("Keys of the live screen")
struct SafeKeysTests {
    let cards = FollowedCards()

    @Test("A key keeps its meaning when other buttons come and go")
    func meaning() async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("1")
        // Left at the door already: its button is gone, and no other takes its key.
        try await session.receive(
            FollowedCards.push(.accepted, event: .update, after: 1) { content in
                content.buttons.removeAll { $0.verb == Verb.leaveAtDoor.rawValue }
            })
        try await session.press("2")
        #expect(await session.answer() == "There is no button 2 on this card now")
        try await session.press("3")
        #expect(cards.pressed.map(Self.verb) == ["leave-at-door", "details"])
        #expect(await session.screen.keys.question == nil)
    }

    @Test("A verb has the same key on every card, and a verb of a later version one after those")
    func digits() {
        func button(_ verb: String) -> CardButton { CardButton(verb: verb, title: verb, url: "u/\(verb)") }
        let all = Verb.allCases.map { button($0.rawValue) }
        for first in all {
            let alone = ButtonDigits.of([first])
            for second in all where second != first {
                #expect(ButtonDigits.of([second, first]).last == alone.first)
            }
        }
        #expect(ButtonDigits.of([button("tip"), button("details"), button("cancel")]) == [9, 3, 6])
        #expect(ButtonDigits.of([button("details"), button("details")]) == [3, nil])
        #expect(CardAction.isAskedAbout(verb: "tip"), "nobody knows what it does")
    }

    @Test("Keys stay on their card when another one moves above it")
    func focus() async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted, card: "c-1", relevance: 50))
        try await session.receive(FollowedCards.push(.picking, card: "c-2", relevance: 10))
        #expect(await session.screen.focusedCard?.id == "c-1")
        try await session.press(" ")
        try await session.receive(
            FollowedCards.push(.picking, card: "c-2", event: .update, after: 5, relevance: 90))
        #expect(await session.screen.phone.lockScreen.map(\.id) == ["c-2", "c-1"])
        try await session.press("3")
        #expect(cards.pressed == ["https://doorstep.example/l/c-1/details"])
    }

    @Test("Until a key is pressed the focus is on the top card, and on a question first")
    func topFocus() async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted, card: "c-1", relevance: 10))
        try await session.receive(FollowedCards.push(.enRoute, card: "c-2", relevance: 60))
        #expect(await session.screen.focusedCard?.id == "c-2")
        try await session.receive(
            FollowedCards.push(.picking, flags: [.needsCustomer], card: "c-3", relevance: 90))
        #expect(await session.screen.focusedCard?.id == "c-3")
        try await session.press("4")
        #expect(cards.pressed.isEmpty, "the keys have just changed their card")
        try await session.receive(
            FollowedCards.push(.picking, flags: [.needsCustomer], card: "c-4", relevance: 99))
        #expect(await session.screen.focusedCard?.id == "c-3")
    }

    @Test("A question of the store gets the first focus; a summary does not")
    func firstFocus() throws {
        var state = ScreenState(phone: Phone(), now: FollowedCards.now)
        for (card, flags) in [("c-1", []), ("c-2", [.needsCustomer])] as [(String, Set<DeliverySnapshot.Flag>)] {
            guard case .push(let push) = try FollowedCards.push(.picking, flags: flags, card: card, relevance: 50)
            else {
                continue
            }
            _ = state.phone.receive(push.payload, card: card, at: FollowedCards.now)
        }
        let asked = SampleDelivery(status: .picking, flags: [.needsCustomer])
        guard case .show(let delivery) = ActivityStep.after(asked.snapshot, arrival: nil, step: 1),
            case .show(let shown) = ActivityStep.summary(
                of: [SummarizedDelivery(delivery)], activity: "summary-mette-1", version: 1)
        else { throw CommandFailure(.usage, "a live delivery is shown") }
        _ = state.phone.receive(
            .start(shown, timestamp: FollowedCards.now, alert: nil), card: "c-3", at: FollowedCards.now)
        #expect(state.phone.lockScreen.first?.id == "c-3")
        state.keepFocus()
        #expect(state.focus == "c-2")
    }

    @Test("A key whose meaning has just changed by itself does nothing, until there was time to see it")
    func settling() async throws {
        let session = cards.session()
        func ask(_ proposal: Int) throws -> FeedEvent {
            try FollowedCards.push(
                .picking, flags: [.needsCustomer], event: proposal == 0 ? .start : .update, after: proposal
            ) { content in
                content.buttons = content.buttons.map {
                    CardButton(verb: $0.verb, title: $0.title, url: "\($0.url)/\(proposal)")
                }
            }
        }
        try await session.receive(ask(0))
        cards.pass(.seconds(60))
        try await session.receive(ask(1))
        cards.pass(.seconds(1))
        try await session.press("4")
        #expect(cards.pressed.isEmpty, "the yes was for the question before")
        #expect(await session.answer() == "What 4 does here has just changed: nothing was done")
        cards.pass(KeyRules.settleTime)
        try await session.press("4")
        #expect(cards.pressed == ["https://doorstep.example/l/c-1/approve-substitution/1"])
    }

    @Test("A card that leaves takes the next key with it; tab moves on purpose and waits for nothing")
    func focusMoves() async throws {
        let session = cards.session()
        for card in ["c-1", "c-2", "c-3"] {
            try await session.receive(FollowedCards.push(.accepted, card: card, relevance: 50))
        }
        _ = try await session.press(.tab)
        try await session.press("1")
        #expect(cards.pressed == ["https://doorstep.example/l/c-2/leave-at-door"])
        try await session.press("dy")
        cards.pass(KeyRules.undoTime)
        try await session.tick()
        #expect(await session.screen.focusedCard?.id == "c-1")
        try await session.press("1")
        try await session.press("d")
        #expect(cards.pressed.count == 1)
        #expect(await session.screen.keys.question == nil)
    }

    // MARK: - What cannot be undone

    @Test("A cancellation is asked about, sent ten seconds after the yes, and sent once")
    func cancels() async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("6")
        #expect(cards.pressed.isEmpty)
        try await session.press("y")
        for _ in 0..<9 {
            cards.pass(.seconds(1))
            try await session.tick()
        }
        #expect(cards.pressed.isEmpty)
        cards.pass(.seconds(1))
        try await session.tick()
        try await session.tick()
        #expect(cards.pressed == ["https://doorstep.example/l/c-1/cancel"])
        #expect(await session.answer() == "Done")
        #expect(await session.sentencesOnLeaving.isEmpty)
    }

    @Test("Any key but y means no, and does nothing else", arguments: ["n", "6", "1", "d", "s", " "])
    func withdraws(key: String) async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("6\(key)")
        #expect(await session.answer() == "Nothing was cancelled")
        cards.pass(.seconds(60))
        try await session.press("y")
        try await session.tick()
        #expect(cards.pressed.isEmpty)
        #expect(await session.screen.phone.lockScreen.count == 1)
    }

    @Test("A question closes by itself, and with a look at another card")
    func questionCloses() async throws {
        let session = cards.session()
        for card in ["c-1", "c-2"] {
            try await session.receive(FollowedCards.push(.accepted, card: card, relevance: 50))
        }
        try await session.press("6")
        cards.pass(KeyRules.questionTime)
        try await session.press("y")
        try await session.press("6")
        _ = try await session.press(.tab)
        try await session.press("y")
        cards.pass(.seconds(60))
        try await session.tick()
        #expect(cards.pressed.isEmpty)
    }

    @Test("Within the ten seconds u takes it back, on whatever card the focus is")
    func undone() async throws {
        let session = cards.session()
        for card in ["c-1", "c-2"] {
            try await session.receive(FollowedCards.push(.accepted, card: card, relevance: 50))
        }
        try await session.press("6y")
        _ = try await session.press(.tab)
        cards.pass(.seconds(9))
        try await session.press("u")
        #expect(await session.answer() == "Nothing was cancelled")
        cards.pass(.seconds(60))
        try await session.tick()
        #expect(cards.pressed.isEmpty)
    }

    @Test("Nothing else is done to a card while something waits for it")
    func oneAtATime() async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("6y1d")
        #expect(cards.pressed.isEmpty)
        #expect(await session.screen.keys.question == nil)
        #expect(await session.screen.keys.confirmed.count == 1)
    }

    @Test("Leaving within the ten seconds does nothing, and says so", arguments: [Key.character("q"), .interrupt])
    func leaves(key: Key) async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("6y")
        cards.pass(KeyRules.undoTime)
        _ = try? await session.press(key)
        try await session.tick()
        #expect(cards.pressed.isEmpty)
        #expect(
            await session.sentencesOnLeaving == ["Nothing was cancelled: you left before it was done."])
    }

    @Test("A swipe is asked about, and the card is there for ten seconds in which it can be kept")
    func swipes() async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("d")
        #expect(await session.screen.keys.question?.action == .dismiss)
        try await session.press("y")
        cards.pass(.seconds(9))
        try await session.tick()
        try await session.press("u")
        cards.pass(.seconds(60))
        try await session.tick()
        #expect(await session.screen.phone[card: "c-1"]?.state == .active)
        #expect(!cards.reports.map(\.kind).contains(.dismissed))

        try await session.press("dy")
        cards.pass(KeyRules.undoTime)
        try await session.tick()
        #expect(await session.screen.phone[card: "c-1"]?.state == .dismissed)
        #expect(cards.reports.last?.kind == .dismissed)
        #expect(cards.saved?.phone[card: "c-1"]?.state == .dismissed)
    }

    @Test("Switching off takes every card away, so it is asked about where there is one")
    func switchesOff() async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("s")
        #expect(await session.screen.phone.permission == .allowed)
        try await session.press("y")
        cards.pass(KeyRules.undoTime)
        try await session.tick()
        #expect(await session.screen.phone.permission == .switchedOff)
        #expect(await session.screen.phone.lockScreen.isEmpty)
        // Reported before, it would count as swiped away.
        #expect(cards.sent == ["started", "off", "dismissed"])
    }

    @Test("The rest of ten seconds is rounded up, so that 0 is never shown while a second is left")
    func rest() async throws {
        let session = cards.session()
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("6y")
        for (passed, left) in [(Duration.zero, 10), (.milliseconds(100), 10), (.milliseconds(9400), 1)] {
            cards.pass(passed)
            try await session.press(" ")
            let keys = await session.screen.keys
            #expect(keys.confirmed.map { keys.secondsLeft(of: $0) } == [left])
        }
    }

    private static func verb(_ url: String) -> String { String(url.split(separator: "/").last ?? "") }
}
