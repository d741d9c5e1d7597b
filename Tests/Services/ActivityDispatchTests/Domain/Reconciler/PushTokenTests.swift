import DoorstepAPI
import Foundation
import LiveActivity
import PhoneRules
import Testing

@testable import ActivityDispatch

@Suite("Tokens of APNs")
struct PushTokenTests {
    private func token(
        _ value: String, observed: TimeInterval = 0, generation: Int = 0, registered: TimeInterval = 0
    ) -> PushToken {
        PushToken(
            value: value, observedAt: noon + observed, generation: generation, registeredAt: noon + registered)
    }

    @Test(
        "A token is hex of any even length and nothing else",
        arguments: [
            ("AB", true), ("ab12", true), (String(repeating: "0f", count: 80), true),
            (String(repeating: "0f", count: 256), true), ("", false), ("a", false), ("abc", false), ("zz", false),
            ("０１", false), (String(repeating: "0f", count: 257), false),
        ])
    func hexOnly(value: String, isToken: Bool) {
        let token = PushToken(PushTokenBody(value: value), at: noon, wall: noon)
        #expect((token != nil) == isToken)
        if isToken { #expect(token?.value == value.lowercased() && token?.environment == .production) }
    }

    @Test("An upload that comes late loses, by when its token was observed and then by its generation")
    func late() {
        var device = Device.any()
        device.pushToStartToken = token("bb", observed: 10, generation: 2)
        for late in [token("aa", observed: 9, generation: 9), token("aa", observed: 10, generation: 1)] {
            device.apply(.set(late))
            #expect(device.pushToStartToken?.value == "bb")
        }
        for newer in [token("cc", observed: 10, generation: 3), token("dd", observed: 11)] {
            device.apply(.set(newer))
            #expect(device.pushToStartToken == newer)
        }
        device.apply(nil)
        #expect(device.pushToStartToken?.value == "dd")
        device.apply(.forget)
        #expect(device.pushToStartToken == nil)
    }

    @Test("A phone whose clock is ahead does not shut out its own next token")
    func clockAhead() throws {
        let ahead = PushTokenBody(value: "aa", observedAt: noon + 365 * 86_400)
        var device = Device.any()
        device.pushToStartToken = PushToken(ahead, at: noon, wall: noon)
        let next = try #require(PushToken(PushTokenBody(value: "bb", observedAt: noon + 60), at: noon + 90, wall: noon))
        device.apply(.set(next))
        #expect(device.pushToStartToken?.value == "bb")
    }

    @Test("That a token is gone is about that token alone, and only if it was uploaded before")
    func gone() {
        let token = token("aa", registered: 60)
        #expect(token.isGone("aa", since: nil))
        #expect(token.isGone("aa", since: noon + 60))
        #expect(!token.isGone("aa", since: noon + 59))
        #expect(!token.isGone("bb", since: nil))
    }

    @Test("A card's rotated token ends the waiting after a failure of the former one")
    func rotation() {
        let activity = Activity(.shows(2))
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        card.accept(token("aa"))
        card.failures.count = 3
        card.failures.retryAt = noon + 600
        card.accept(token("aa", observed: 1))
        #expect(card.failures.retryAt == noon + 600)
        card.accept(token("bb", observed: 2))
        #expect(card.failures.retryAt == nil && card.failures.count == 0)
    }

    @Test("A phone whose clock was set back replaces a card's token that is gone")
    func clockSetBack() throws {
        let activity = Activity(.shows(2))
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        card.updateToken = token("aa", observed: 60, generation: 1)
        let lease = card.lease(.update(.high, alert: nil), activity.wanted, limits: .apns, now: noon + 90)
        _ = card.record(try #require(lease), .gone(token: "aa"), now: noon + 90)
        #expect(card.state == .lost && card.updateToken == nil)
        var reported = ReportedCards(
            device: .any(), cards: [card], activities: [activity.id: activity], limits: .apns, now: noon + 120,
            newID: { UUID() })
        let rotated = token("bb", observed: -3600)
        reported.apply(DeviceReport(card: card.id, content: .card(.started(updateToken: rotated))))
        #expect(reported.cards.map(\.state) == [.active])
        #expect(reported.cards.map(\.updateToken) == [rotated])
    }

    @Test("A card on the screen without a token waits for it; another takes its place in time, and the system ends it")
    func noUpdateToken() {
        let shown = Activity(.shows(2))
        let ended = Activity(.ends(3, at: noon))
        var card = Card.any(of: shown, on: .any(), .active, sent: .shows(1), startedAt: noon)
        card.updateToken = nil
        var others: [ActivityCard] = []
        func decision(_ activity: Activity, at now: Date = noon + 60) -> Decision {
            decide(activity, card, on: .any(), others: others, limits: .apns, now: now)
        }
        let (replaced, left) = (noon + 7.5 * 3600, noon + 8 * 3600 + 600)
        #expect(decision(shown) == .wait(until: replaced, .noUpdateToken))
        #expect(decision(ended) == .wait(until: replaced, .noUpdateToken))
        #expect(decision(shown, at: replaced) == .rollOver)
        #expect(decision(ended, at: replaced) == .wait(until: left, .noUpdateToken))
        #expect(decision(ended, at: left) == .close(.ended))
        var next = Card.any(of: shown, on: .any(), .active)
        next.replaces = card.id
        for state in [Card.State.waiting, .starting, .active] {
            next.state = state
            others = [ActivityCard(activity: shown, card: next)]
            #expect(decision(shown, at: replaced) == .wait(until: left, .noUpdateToken))
            #expect(decision(shown, at: left) == .close(.ended))
        }
        others = []
        card.accept(token("aa"))
        #expect(decision(shown) == .update(.low, alert: nil))
    }

    @Test("A card on a phone that no push can change is known to be frozen, and until when it stays")
    func frozen() throws {
        let activity = Activity(.shows(2, staleAt: Int(noon.timeIntervalSince1970) + 900))
        var card = Card.any(of: activity, on: .any(), .starting, sent: activity.wanted, startedAt: noon)
        card.updateToken = nil
        for state in [Card.State.starting, .active] {
            card.state = state
            let frozen = try #require(card.frozen(on: .apns))
            #expect(frozen.since == noon && frozen.staleAt == noon + 900)
            #expect(frozen.endsAt == noon + 8 * 3600 && frozen.leavesAt == noon + 12 * 3600)
            #expect(card.frozen(on: .stream) == nil)
        }
        var changeable = card
        changeable.accept(token("aa"))
        #expect(changeable.frozen(on: .apns) == nil)
        for state in [Card.State.waiting, .ended, .dismissed, .swiped, .replaced, .signedOut, .lost] {
            card.state = state
            #expect(card.frozen(on: .apns) == nil, "\(state)")
        }
    }

    @Test(
        "Cards start from a server from 17.2 on, and a start asks for the token from 18 on",
        arguments: [
            ("16.7.10", false, false), ("17.1", false, false), ("17.2", true, false), ("17.10", true, false),
            ("18.0", true, true), ("26", true, true), (nil, true, true),
        ] as [(String?, Bool, Bool)])
    func gates(version: String?, starts: Bool, asks: Bool) throws {
        var device = Device.any()
        device.osVersion = version.flatMap(OSVersion.init)
        let activity = Activity(.shows(1))
        let card = Card.any(of: activity, on: device)
        let decision = decide(activity, card, on: device, others: [], limits: .apns, now: noon)
        #expect(decision == (starts ? .start(alert: nil) : .nothing(.oldSystem)))
        guard starts else { return }
        var reconciliation = DeviceReconciliation(
            device: device, cards: [ActivityCard(activity: activity, card: card)], limits: .apns, now: noon)
        reconciliation.run(leased: [], newID: { UUID() }) { _ in nil }
        let push = try #require(reconciliation.pushes.first)
        #expect(push.payload.aps.inputPushToken == (asks ? 1 : nil))
        #expect(push.token == device.pushToStartToken)
    }

    @Test("A version of a system is numbers with dots between", arguments: ["", "18.", "a", "1.2.3.4.5", "18 ", "-1"])
    func noVersion(text: String) {
        #expect(OSVersion(text) == nil)
    }
}
