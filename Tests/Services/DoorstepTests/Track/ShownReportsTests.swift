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
}
