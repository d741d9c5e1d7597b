import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import TestSupport
import Testing
import TileArchive
import WebPages

@testable import Desk

@Suite("The page of the map", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct MapPageTests {
    private struct Places: Decodable {
        struct Door: Decodable { let delivery: String }
        let doors: [Door]
    }

    private static func map() throws -> MapSettings {
        let archive = try TileArchive(path: MapSettingsTests.sample)
        return MapSettings(images: MapImages(.file(archive), attribution: "© <Mappers>", path: "/map/tiles"))
    }

    @Test("The filter of its address leaves the same doors in the list and on the map")
    func filters() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let start = SampleDeliveries.at(24 * 60)
            let promise = try #require(Promise(start: start, end: start.addingTimeInterval(1_800)))
            let today = SampleDeliveries.whole(number: 1, [.courier(SampleDeliveries.mira)])
            let tomorrow = SampleDeliveries.whole(number: 2, [.promise(promise)])
            try desk.services.know(today)
            try desk.services.know(tomorrow)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([today, tomorrow]))
            await desk.reader.read()
            let cases: [(String, Set<DeliveryID>)] = [
                ("", [today.id]), ("?day=every", [today.id, tomorrow.id]), ("?day=2026-11-22", [tomorrow.id]),
                ("?courier=mira&day=every", [today.id]), ("?store=amager", []), ("?lane=late", []),
            ]
            for (query, wanted) in cases {
                let page = try await ada.get("/map\(query)")
                #expect(page.0.status == .ok)
                for delivery in [today, tomorrow] {
                    let isListed = page.html.contains("data-door=\"\(delivery.id)\"")
                    #expect(isListed == wanted.contains(delivery.id), "\(query)")
                }
                let places = try await ada.get("/map/places\(query)")
                let doors = try JSONDecoder().decode(Places.self, from: Data(places.html.utf8)).doors
                #expect(Set(doors.map(\.delivery)) == Set(wanted.map(\.rawValue)), "\(query)")
            }
            let counts = [
                "": "1 of 2 live deliveries are on the map; 1 is for another day.",
                "?day=every": "2 of 2 live deliveries are on the map.",
                "?lane=late": "0 of 2 live deliveries are on the map; 2 are left out by the filter.",
            ]
            for (query, text) in counts {
                let html = try await ada.get("/map\(query)").html.replacing("</span>.", with: ".")
                #expect(html.contains(text), "\(query)")
            }
            let page = try await ada.get("/map?store=amager&day=every").html
            #expect(page.contains("data-places=\"/map/places?store=amager&amp;day=every\""))
            #expect(page.contains("<option value=\"amager\" selected>"), "a store without deliveries stays chosen")
            #expect(page.contains("<option value=\"2026-11-22\">") && page.contains("\"every\" selected"))
        }
    }

    @Test("A door in the list has its delivery's need and risk as a row of the board")
    func doorNeeds() async throws {
        try await DeskUnderTest.run { desk, client in
            let attempted = SampleDeliveries.whole(
                SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil), .status(.attempted, reason: "x")])
            try desk.services.know(attempted)
            let board = BoardBody(
                counts: ServicesByTest.board([]).counts,
                deliveries: [ServicesByTest.row(attempted, risk: .atRisk, lateMinutes: 4)], next: nil)
            try desk.services.answer("orders", "/v1/deliveries", board)
            await desk.reader.read()
            let html = try await desk.browser(client).get("/map").html
            #expect(html.contains(", not handed over, may be 4 min late, promised "))
        }
    }

    @Test("Chosen doors are alone on the board, and a viewer can choose none")
    func chosen() async throws {
        try await DeskUnderTest.run { desk, client in
            let all = (1...3).map { SampleDeliveries.whole(number: $0, []) }
            for delivery in all { try desk.services.know(delivery) }
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board(all))
            await desk.reader.read()
            let ada = try await desk.browser(client)
            for query in ["chosen=\(all[0].id)&chosen=\(all[2].id)", "chosen=\(all[0].id),\(all[2].id),nonsense"] {
                let board = try await ada.get("/?\(query)").html
                #expect(board.contains("data-chosen"))
                #expect(all.map { board.contains("data-id=\"\($0.id)\"") } == [true, false, true])
            }
            let whole = try await ada.get("/").html
            #expect(!whole.contains("data-chosen") && whole.contains("id=\"forget-left\""))
            #expect(try await ada.get("/map").html.contains("form=\"choosing\""))
            let vera = try await desk.browser(client, as: "vera", role: .viewer)
            #expect(try await !vera.get("/map").html.contains("id=\"choosing\""))
            let seen = try await vera.get("/").html
            #expect(seen.contains("data-id=\"\(all[0].id)\"") && !seen.contains("id=\"forget-left\""))
        }
    }

    @Test("Images of the file are served to who is signed in, to be kept, and the page stays as closed as without")
    func images() async throws {
        try await DeskUnderTest.run(map: try Self.map()) { desk, client in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            let ada = try await desk.browser(client)
            let page = try await ada.get("/map")
            #expect(page.html.contains("data-attribution=\"© &lt;Mappers&gt;\""))
            #expect(page.html.contains("data-tiles=\"/map/tiles/{z}/{x}/{y}?of="))
            #expect(page.0.headers[.contentSecurityPolicy]?.contains("img-src 'self';") == true)

            let image = try await ada.get("/map/tiles/3/4/2?of=x").0
            #expect(image.status == .ok && image.headers[.contentType] == "image/png")
            #expect(image.headers[.cacheControl] == "private, max-age=604800, immutable")
            #expect(image.headers[.xContentTypeOptions] == "nosniff")
            #expect(image.body.readableBytesView.starts(with: [0x89] + Array("PNG".utf8)))
            for path in ["4/0/0", "3/8/0", "3/-1/0", "99/0/0"] {
                #expect(try await ada.get("/map/tiles/\(path)").0.status == .noContent, "\(path)")
            }
            for path in ["3/4/x", "3/4/2.png", "9999999999999999999/0/0"] {
                #expect(try await ada.get("/map/tiles/\(path)").0.status == .notFound, "\(path)")
            }
            let signedOut = try await client.execute(uri: "/map/tiles/3/4/2", method: .get)
            #expect(signedOut.status == .seeOther)
        }
    }

    @Test("Without a file there are no images")
    func noImages() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            #expect(try await ada.get("/map").html.contains("data-tiles=\"\""))
            #expect(try await ada.get("/map/tiles/0/0/0").0.status == .notFound)
        }
    }
}
