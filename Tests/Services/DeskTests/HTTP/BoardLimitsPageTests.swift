import DeliverySamples
import DoorstepAPI
import Foundation
import HummingbirdTesting
import OrderDomain
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Desk

@Suite("The limits of the board's pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct BoardLimitsPageTests {
    private static let notice = "More than 500 are found; search for something narrower, or choose a store."

    private static func board(_ rows: [BoardBody.Row], next: String? = nil) -> BoardBody {
        BoardBody(counts: ServicesByTest.board([]).counts, deliveries: rows, next: next)
    }

    @Test("A search is of the filter's store and courier, and of all pages of the results")
    func search() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            await desk.reader.read()
            let found = (1...2).map { SampleDeliveries.whole(number: $0, SampleDeliveries.toEnRoute) }
            let path = "/v1/deliveries?limit=100&search=Mette&store=nordhavn&courier=mira"
            try desk.services.answer("orders", path, Self.board([ServicesByTest.row(found[0])], next: "c1"))
            try desk.services.answer("orders", path + "&cursor=c1", Self.board([ServicesByTest.row(found[1])]))
            _ = desk.services.takeSent()
            let html = try await ada.get("/?q=Mette&store=nordhavn&courier=mira").html
            let searched = desk.services.takeSent().map(\.path).filter { $0.contains("&search=") }
            #expect(searched == [path, path + "&cursor=c1"])
            for delivery in found { #expect(html.contains("data-id=\"\(delivery.id)\"")) }
            #expect(!html.contains(Self.notice))
        }
    }

    @Test("A text that is no store's id is not passed on, and leaves nothing of what is found")
    func noStore() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let delivery = SampleDeliveries.whole([])
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
            await desk.reader.read()
            _ = desk.services.takeSent()
            let html = try await ada.get("/?q=Mette&store=no+store").html
            #expect(desk.services.takeSent().map(\.path).contains("/v1/deliveries?limit=100&search=Mette"))
            #expect(!html.contains("data-id=\"\(delivery.id)\""))
        }
    }

    @Test("A search that finds more than is read says so, on the page and in its stream")
    func endlessSearch() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            await desk.reader.read()
            let rows = [ServicesByTest.row(SampleDeliveries.whole([]))]
            try desk.services.answer("orders", "/v1/deliveries", Self.board(rows, next: "c"))
            _ = desk.services.takeSent()
            #expect(try await ada.get("/?q=Mette").html.contains(Self.notice))
            #expect(desk.services.takeSent().count { $0.path.contains("&search=") } == 5)
            var filter = BoardFilter()
            filter.search = "Mette"
            let slot = try #require(desk.streams.open(.board, for: PageStreamsTests.reader(1)))
            var stream = BoardStream(
                filter: filter, showBoard: desk.showBoard, rows: BoardRowCache(), process: "p", missing: { [] },
                slot: slot, shown: "")
            let event = try #require(try await stream.next()?.first)
            #expect(event.data.contains(Self.notice))
        }
    }

    @Test("While the board changes, a page's events search again after ten seconds, and a page after two")
    func searchIntervals() async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            let begun = ContinuousClock.now
            let passed = Mutex(0.0)
            let showBoard = ShowBoard(
                board: desk.board, services: desk.client, pool: desk.pool, clock: desk.clock
            ) { begun.advanced(by: .seconds(passed.withLock { $0 })) }
            let cases: [(seconds: Double, isStreamed: Bool, searches: Bool)] = [
                (0, false, true), (9.9, true, false), (10, true, true), (11.9, false, false), (12, false, true),
            ]
            for (seconds, isStreamed, searches) in cases {
                passed.withLock { $0 = seconds }
                desk.board.wakeAll()
                await desk.reader.read()
                _ = desk.services.takeSent()
                var filter = BoardFilter()
                filter.search = "Mette"
                _ = try await showBoard(filter, isStreamed: isStreamed)
                let hasSearched = desk.services.takeSent().contains { $0.path.contains("&search=") }
                #expect(hasSearched == searches, "\(seconds)")
            }
        }
    }

    @Test("Between two searches a live result has the board's owner and status, and a newer result keeps its own")
    func betweenSearches() async throws {
        try await DeskUnderTest.run { desk, _ in
            func answer(_ path: String, _ changes: [DeliveryChange]) throws {
                try desk.services.answer("orders", path, ServicesByTest.board([SampleDeliveries.whole(changes)]))
            }
            let accepted = DeliveryChange.status(.accepted, reason: nil)
            let id = SampleDeliveries.whole([]).id
            try answer("/v1/deliveries", [])
            await desk.reader.read()
            let begun = ContinuousClock.now
            let passed = Mutex(0.0)
            let showBoard = ShowBoard(
                board: desk.board, services: desk.client, pool: desk.pool, clock: desk.clock
            ) { begun.advanced(by: .seconds(passed.withLock { $0 })) }
            var filter = BoardFilter()
            filter.search = "Mette"
            let first = try await showBoard(filter, isStreamed: true).lanes.flatMap(\.entries)
            #expect(first.map(\.row.status) == [.placed] && first.allSatisfy { $0.triage.owner == nil })

            var triage = Triage.none
            triage.owner = Triage.Owner(subject: "ada", name: "Ada")
            (triage.changedAt, triage.version) = (SampleDeliveries.at(14), 1)
            desk.board.set(triage, of: id)
            try answer("/v1/deliveries", [accepted])
            desk.board.wake(id)
            await desk.reader.read()
            _ = desk.services.takeSent()
            passed.withLock { $0 = 5 }
            let second = try await showBoard(filter, isStreamed: true).lanes.flatMap(\.entries)
            #expect(desk.services.takeSent().isEmpty)
            #expect(second.map(\.row.status) == [.accepted])
            #expect(second.map(\.triage.owner?.subject) == ["ada"])

            try answer("/v1/deliveries?limit=100&search=Mette", [accepted, .status(.picking, reason: nil)])
            passed.withLock { $0 = 10 }
            let third = try await showBoard(filter, isStreamed: true).lanes.flatMap(\.entries)
            #expect(third.map(\.row.status) == [.picking], "the board is older than the search")
        }
    }

    @Test("A lane alone and the map's list name their limit where they have more", arguments: [200, 201])
    func worst(count: Int) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.answer("orders", "/v1/deliveries", Self.board(try ServicesByTest.rows(count)))
            await desk.reader.read()
            let lane = try await ada.get("/?lane=fine").html
            let sentence = "The worst 200 of <span data-count>\(count)</span>; choose a store or a courier, or search."
            let isHidden = count == 200
            #expect(lane.contains("<p class=\"all\"\(isHidden ? " hidden" : "")>\(sentence)</p>"))
            #expect(!lane.contains("All of them"))
            let map = try await ada.get("/map").html
            #expect(map.contains("of its doors the worst 200 alone") != isHidden)
            #expect(try await ada.get("/").html.contains("All of them"))
        }
    }
}
