import DeliverySamples
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Desk

@Suite("The reader of the board", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct BoardReaderTests {
    private static let one = SampleDeliveries.whole(number: 1, [])
    private static let two = SampleDeliveries.whole(number: 2, [])

    @Test("Everything is read at first, then only what woke it, for however many who look on")
    func wakes() async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.one, Self.two]))
            await desk.reader.read()
            let first = try await desk.showBoard(.all)
            #expect(first.counts.values.reduce(0, +) == 2 && first.readAt != nil)
            #expect(desk.services.takeSent().count == 1)
            for _ in 0..<50 { _ = try await desk.showBoard(.all) }
            #expect(desk.services.takeSent().isEmpty)

            let changed = SampleDeliveries.whole(number: 2, [.hold(reason: "x")])
            try desk.services.answer(
                "orders", "/v1/deliveries?limit=100&ids=\(changed.id)", ServicesByTest.board([changed]))
            for _ in 0..<3 { desk.board.wake(changed.id) }
            await desk.reader.read()
            #expect(desk.services.takeSent().map(\.path) == ["/v1/deliveries?limit=100&ids=\(changed.id)"])
            let second = try await desk.showBoard(.all)
            #expect(second.counts[.needsYou] == 1 && second.revision > first.revision)
            await desk.reader.read()
            #expect(desk.services.takeSent().isEmpty, "nothing woke it")
        }
    }

    @Test("A delivery that comes back to the board has the owner that it had")
    func ownerOfReturned() async throws {
        try await DeskUnderTest.run { desk, _ in
            var triage = Triage.none
            triage.owner = .init(subject: "ada", name: "Ada Lovelace")
            (triage.changedBy, triage.changedAt) = ("ada", SampleDeliveries.at(12))
            _ = try await TriageRepository.set(triage, of: Self.one.id, inPlaceOf: 0, on: desk.pool)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            await desk.reader.read()
            #expect(desk.board.entry(of: Self.one.id) == nil)

            let disputed = SampleDeliveries.whole(
                SampleDeliveries.toEnRoute + [.status(.delivered, reason: nil), .dispute(reason: "wrong door")])
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([disputed]))
            desk.board.wake(disputed.id)
            await desk.reader.read()
            let entry = try #require(desk.board.entry(of: Self.one.id))
            #expect(entry.lane == .needsYou && entry.triage.owner == triage.owner)
        }
    }

    @Test("While nobody has a page nothing is read, and then what waited is")
    func unattended() async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.one]))
            await desk.reader.read()
            _ = desk.services.takeSent()
            let later = ContinuousClock.now + LiveBoard.attention * 2
            desk.board.wake(Self.one.id)
            await desk.reader.readIfAttended(at: later)
            #expect(desk.services.takeSent().isEmpty)

            let page = Task { await desk.board.attend(at: later) }
            // A reading that began before the page was asked for does not answer it.
            while desk.services.takeSent().isEmpty {
                await desk.reader.readIfAttended(at: later)
                await Task.yield()
            }
            await page.value
            desk.board.wake(Self.one.id)
            let slot = try #require(desk.streams.open(.board, for: PageStreamsTests.reader(1)))
            await desk.reader.readIfAttended(at: later + LiveBoard.attention * 2)
            #expect(!desk.services.takeSent().isEmpty)
            _ = slot
        }
    }

    @Test("A page waits for the process's first reading, and for a reading that another page waits for")
    func waitingPages() async throws {
        try await DeskUnderTest.run { desk, _ in
            // A page that no reading releases waits past the suite's limit.
            let board = LiveBoard(streams: desk.streams, asOf: desk.clock.now, pageWaitMax: .seconds(3_600))
            // An element for each page that waits.
            var wakes = board.wakes.makeAsyncIterator()
            _ = board.drainPending()
            async let early: Void = board.attend()
            await wakes.next()
            board.readingEnded()
            await early

            board.mergeAll([], triage: [:], readSince: board.revision, at: desk.clock.now)
            board.wake(Self.one.id)
            await wakes.next()
            let later = ContinuousClock.now + LiveBoard.attention * 2
            async let first: Void = board.attend(at: later)
            await wakes.next()
            _ = board.drainPending()
            async let second: Void = board.attend(at: later)
            await wakes.next()
            board.readingEnded()
            _ = await (first, second)

            // A reading that fails releases its pages too.
            let reader = BoardReader(
                board: board, services: desk.reader.services, pool: desk.pool, clock: desk.clock,
                logger: desk.reader.logger)
            board.wake(Self.one.id)
            await wakes.next()
            async let third: Void = board.attend(at: later + LiveBoard.attention * 2)
            await wakes.next()
            await reader.read()
            await third
        }
    }

    @Test("Wakes are received while a browser has a page: from the start, and from the next page after nobody had one")
    func attentions() async throws {
        try await DeskUnderTest.run { desk, _ in
            var attentions = desk.board.attentions.makeAsyncIterator()
            await attentions.next()
            _ = desk.board.drainPending()
            desk.board.readingEnded()
            await desk.board.attend()
            let later = ContinuousClock.now + LiveBoard.attention * 2
            #expect(!desk.board.isAttended(at: later))
            await desk.board.attend(at: later)
            // Of two requests for pages the first alone begins the attention.
            await desk.board.attend(at: later)
            await attentions.next()
            #expect(desk.board.isAttended(at: later))
        }
    }

    @Test("A wake names deliveries, a line each; what is no id is left out, and too many make all be read")
    func linesOfWakes() async throws {
        try await DeskUnderTest.run { desk, _ in
            let ids = [Self.one.id, Self.two.id]
            let payload = Array("\(ids[0])\nnone\n\(ids[1])".utf8)
            #expect(WakeSubscription.deliveries(in: payload) == ids && WakeSubscription.deliveries(in: []).isEmpty)
            _ = desk.board.drainPending()
            desk.board.wake(ids)
            #expect(desk.board.drainPending().ids == Set(ids))
            desk.board.wake((0...LiveBoard.changesMax).map { _ in DeliveryID(UUID()) })
            let pending = desk.board.drainPending()
            #expect(pending.isWhole && pending.ids.isEmpty)
        }
    }

    @Test("While orders is away the board stays as it was, and is read whole when it is back")
    func outage() async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.one]))
            await desk.reader.read()
            let slot = try #require(desk.streams.open(.board, for: PageStreamsTests.reader(1)))
            desk.services.set(away: ["orders"])
            desk.board.wake(Self.one.id)
            await desk.reader.read()
            #expect(await slot.signal.next() == .events, "pages say what is old")
            #expect(try await desk.showBoard(.all).counts.values.reduce(0, +) == 1)
            desk.services.set(away: [])
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.one, Self.two]))
            await desk.reader.read()
            #expect(try await desk.showBoard(.all).counts.values.reduce(0, +) == 2)
        }
    }

    @Test("A stream is sent the rows that are others than its page has, and where each belongs")
    func stream() async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.one, Self.two]))
            await desk.reader.read()
            let shown = try await desk.showBoard(.all)
            let slot = try #require(desk.streams.open(.board, for: PageStreamsTests.reader(1)))
            func stream(_ shown: String) -> BoardStream {
                BoardStream(
                    filter: .all, showBoard: desk.showBoard, rows: BoardRowCache(), process: "p", missing: { [] },
                    slot: slot, shown: shown)
            }
            var current = stream("p.\(shown.revision)")
            let first = try #require(try await current.next()?.first)
            #expect(!first.data.contains("<li"), "it has every row already")
            #expect(try await current.next()?.isEmpty == true)

            var other = stream("q.\(shown.revision)")
            #expect(try await other.next()?.first?.data.contains("<li") == true, "another process counts for itself")

            desk.board.wakeAll()
            await desk.reader.read()
            #expect(desk.board.revision > shown.revision)
            var again = stream("p.\(shown.revision)")
            #expect(try await again.next()?.first?.data.contains("<li") == false, "a reading changed nothing")

            let changed = SampleDeliveries.whole(number: 2, [.hold(reason: "x")])
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([changed]))
            desk.board.wake(changed.id)
            await desk.reader.read()
            let event = try #require(try await current.next()?.first)
            #expect(event.event == "board" && event.data.contains("data-id=\\\"\(changed.id)"))
            #expect(!event.data.contains("data-id=\\\"\(Self.one.id)"))

            var behind = stream("p.\(shown.revision)")
            let all = try #require(try await behind.next()?.first)
            #expect(all.data.contains("data-id=\\\"\(Self.one.id)"), "it may have moved up meanwhile")
        }
    }
}
