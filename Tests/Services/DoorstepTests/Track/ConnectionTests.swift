import APIClient
import CommandOutput
import DomainTime
import FlowControl
import Foundation
import LiveActivity
import NIOHTTP1
import PhoneRules
import StackClient
import Synchronization
import Testing

@testable import Doorstep

@Suite("What is shown without a connection")
struct ConnectionTests {
    let cards = FollowedCards()

    private func rows(_ state: ScreenState?, columns: Int = 80) throws -> String {
        let state = try #require(state)
        return Screen(words: Words(locale: "en"), hasColors: false)
            .rows(state, size: TerminalSize(columns: columns, rows: 24)).joined(separator: "\n")
    }

    @Test("That nothing is on its way is shown only while connected", arguments: [80, 40])
    func empty(columns: Int) async throws {
        let session = cards.session()
        try await session.begin()
        #expect(try !rows(cards.shown, columns: columns).contains("Nothing on its way"))
        try await session.receive(.lost(retryIn: .zero))
        let lost = try rows(cards.shown, columns: columns)
        #expect(lost.contains("No connection yet") && !lost.contains("Nothing on its way"))
        #expect(!lost.contains("The cards stay"), "there is none")
        try await session.receive(.connected)
        #expect(try rows(cards.shown, columns: columns).contains("Nothing on its way"))
        try await session.receive(.lost(retryIn: .zero))
        #expect(try rows(cards.shown, columns: columns).contains("No connection since"))
    }

    @Test("A frozen server is reported with the time of its last sign of life", arguments: [80, 40])
    func frozen(columns: Int) async throws {
        let session = cards.session()
        try await session.receive(.connected)
        cards.clock.advance(by: 25)
        try await session.receive(.lost(retryIn: .zero, silence: .seconds(25)))
        #expect(await session.screen.connection == .lost(since: FollowedCards.now))
        #expect(try rows(cards.shown, columns: columns).contains("No connection since"))
    }

    @Test("A customer with too many screens reads that and what to do", arguments: [80, 40])
    func full(columns: Int) async throws {
        let session = cards.session()
        try await session.begin()
        try await session.receive(.refused(screensMax: 5, retryIn: .seconds(15)))
        let full = try rows(cards.shown, columns: columns).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(full.contains("5 of your screens are connected") && full.contains("close one"))
        #expect(!full.contains("No connection"))
        try await session.receive(.lost(retryIn: .zero))
        #expect(try rows(cards.shown, columns: columns).contains("No connection yet"))
    }

    @Test("A refused stream is asked for again when the server says, and not before")
    func retryAfter() {
        let document = #"{"type":"https://doorstep.dev/problems/too-many-streams","title":"Full","streams_max":5}"#
        let refusal = StreamRefusal(
            APIClient.Answer(status: 429, body: Data(document.utf8), headers: ["Retry-After": "15"]))
        #expect(refusal.screensMax == 5 && refusal.failure.kind == .unavailable)
        for failures in 1...10 {
            for jitter in [0.0, 0.5, 1] {
                let backOff = DeviceStream.backOff.delay(failures: failures, jitter: jitter)
                #expect(refusal.delay(backOff: backOff, jitter: jitter) >= .seconds(15))
            }
        }
        let other = StreamRefusal(APIClient.Answer(status: 503, body: Data("busy".utf8)))
        #expect(other.screensMax == nil && other.delay(backOff: .seconds(2), jitter: 1) == .seconds(2))
    }

    @Test("Sentences name a lost connection and its return, once each")
    func sentences() async throws {
        let written = Mutex<[String]>([])
        let lines = SentenceLines(words: Words(locale: "en")) { line in written.withLock { $0.append(line) } }
        var state = ScreenState(phone: Phone(), now: FollowedCards.now)
        lines.show(state)
        let atFirst = written.withLock { $0 }
        #expect(atFirst.isEmpty)
        let open = ScreenState.Connection.open
        for connection in [.lost(since: nil), .lost(since: nil), open, open, .lost(since: FollowedCards.now), open] {
            state.connection = connection
            lines.show(state)
        }
        let sentences = written.withLock { $0 }
        #expect(sentences.count == 4)
        #expect(sentences.first == "No connection yet; trying again.")
        #expect(sentences.dropFirst(2).first?.hasPrefix("No connection since ") == true)
        #expect(sentences[1] == sentences[3])
    }

    // MARK: - Another server at the same address

    @Test("Cards of another registration leave, unreported, and the stream begins anew")
    func otherServer() async throws {
        let former = cards.session()
        try await former.receive(.registered("one"))
        try await former.receive(FollowedCards.push(.enRoute))
        let saved = try #require(cards.saved)
        #expect(saved.registration == "one" && saved.lastSequence == "100")

        let later = FollowedCards()
        let session = later.session(from: saved)
        try await session.begin()
        try await session.receive(.registered("two"))
        try await session.receive(.connected)
        #expect(await session.screen.phone.rememberedCards.isEmpty)
        #expect(later.events.last?.kind == .dismissed)
        #expect(later.reports.isEmpty, "the new server knows none of them")
        #expect(later.saved?.lastSequence == nil && later.saved?.registration == "two")
        #expect(await !session.isOver, "what the new server has is still to come")
    }

    @Test("Cards of the same registration stay, however often the device registers")
    func sameServer() async throws {
        let session = cards.session()
        try await session.receive(.registered("one"))
        try await session.receive(FollowedCards.push(.enRoute))
        for _ in 0..<2 {
            try await session.receive(.lost(retryIn: .zero))
            try await session.receive(.registered("one"))
            try await session.receive(.connected)
        }
        #expect(await session.screen.phone.lockScreen.count == 1)
        #expect(cards.saved?.lastSequence == "100")
    }

    @Test("A cancellation that waits for a card of a server that is gone is not sent")
    func waitingForOtherServer() async throws {
        let session = cards.session()
        try await session.receive(.registered("one"))
        try await session.receive(FollowedCards.push(.accepted))
        try await session.press("6y")
        try await session.receive(.registered("two"))
        cards.pass(KeyRules.undoTime)
        try await session.tick()
        #expect(cards.pressed.isEmpty)
    }
}
