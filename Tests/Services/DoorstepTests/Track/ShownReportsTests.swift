import DoorstepAPI
import Foundation
import LiveActivity
import PhoneRules
import Testing

@testable import Doorstep

@Suite("Reports of what the screen shows")
struct ShownReportsTests {
    let cards = FollowedCards()

    private var shown: [Int?] { cards.reports.filter { $0.kind == .shown }.map(\.revision?.step) }

    @Test("Each update is reported as shown, several within five seconds by the newest alone")
    func updates() async throws {
        let session = cards.session()
        try await session.receive(.connected)
        try await session.receive(FollowedCards.push(.staged))
        try await session.tick()
        #expect(shown == [1])
        for second in 1...3 {
            try await session.receive(FollowedCards.push(.enRoute, event: .update, after: second))
            try await session.tick()
        }
        #expect(shown == [1])
        cards.pass(TrackSession.shownReportInterval)
        for _ in 0..<3 { try await session.tick() }
        #expect(shown == [1, 4])
    }

    @Test("After the stream was lost every card is reported, once what was missed has had time to arrive")
    func reconnected() async throws {
        let session = cards.session()
        try await session.receive(.connected)
        try await session.receive(FollowedCards.push(.staged))
        try await session.tick()
        try await session.receive(.lost(retryIn: .zero))
        cards.pass(.seconds(60))
        try await session.tick()
        #expect(shown == [1])
        try await session.receive(.connected)
        try await session.receive(FollowedCards.push(.enRoute, event: .update, after: 30))
        try await session.tick()
        #expect(shown == [1, 31])
    }

    @Test("A card that was taken off the screen shows nothing")
    func dismissed() async throws {
        let session = cards.session()
        try await session.receive(.connected)
        try await session.receive(FollowedCards.push(.staged))
        try await session.perform(.dismiss, on: "c-1")
        try await session.tick()
        #expect(shown.isEmpty && cards.reports.last?.kind == .dismissed)
    }

    @Test("What the switch removed is reported only once the server has registered the switch")
    func switchedOff() async throws {
        let session = cards.session()
        try await session.receive(.connected)
        try await session.receive(FollowedCards.push(.staged))
        cards.refusePermission(true)
        try await session.perform(.switchOff, on: "c-1")
        #expect(cards.sent == ["started", "off"])
        cards.refusePermission(false)
        try await session.tick()
        #expect(cards.sent == ["started", "off", "off", "dismissed"])
    }

    @Test("A start that the switch refuses is reported as dismissed once the server has registered the switch")
    func deniedStart() async throws {
        let session = cards.session()
        try await session.receive(.connected)
        try await session.receive(FollowedCards.push(.staged))
        cards.refusePermission(true)
        try await session.perform(.switchOff, on: "c-1")
        try await session.receive(FollowedCards.push(.staged, card: "c-2", after: 1))
        #expect(cards.sent == ["started", "off"])
        cards.refusePermission(false)
        try await session.tick()
        #expect(cards.sent == ["started", "off", "off", "dismissed", "dismissed"])
        #expect(cards.reports.suffix(2).map(\.card) == ["c-1", "c-2"])
        try await session.receive(FollowedCards.push(.staged, card: "c-3", after: 2))
        #expect(cards.reports.last?.kind == .dismissed && cards.reports.last?.card == "c-3")
        #expect(await session.screen.phone.lockScreen.isEmpty)
    }

    @Test("A refused start that was not reported before the client was left is reported by the next one")
    func deniedStartBefore() async throws {
        let session = cards.session()
        try await session.receive(.connected)
        cards.refusePermission(true)
        try await session.allow(false)
        try await session.receive(FollowedCards.push(.staged))
        #expect(cards.sent == ["off"])
        let next = cards.session(from: cards.saved)
        try await next.receive(.connected)
        #expect(cards.sent == ["off", "dismissed"])
        #expect(cards.reports.last?.card == "c-1" && !cards.events.contains { $0.kind == .start })
    }
}
