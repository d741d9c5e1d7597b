import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Desk

@Suite("The pages of what happened and of the day", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct EventsPageTests {
    private static func page(_ what: [String], next: String? = nil) -> TimelinePageBody {
        let delivery = SampleDeliveries.whole(number: 1, [])
        return TimelinePageBody(
            rows: what.enumerated().map { index, what in
                TimelinePageBody.Row(
                    id: index + 1, delivery: delivery.id, reference: "G-1042", bag: Bag(number: 1, count: 1),
                    store: delivery.store.id, storeName: "Nordhavn", timeZone: "Europe/Copenhagen",
                    courier: SampleDeliveries.id("mira"), courierName: "Mira", street: "Århusgade 12",
                    entry: .init(
                        at: SampleDeliveries.placedAt, version: 2, kind: "status", what: what, by: "operator ada",
                        reason: nil))
            }, next: next, until: SampleDeliveries.placedAt)
    }

    @Test("Events have names, the time of their store and nothing that is markup, and lead to their delivery")
    func rows() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.answer("orders", "/v1/timeline", Self.page(["placed → <b>accepted</b>"], next: "p2"))
            let html = try await ada.get("/log?since=60&store=nordhavn&kind=status").html
            #expect(html.contains("18:00:00") && html.contains("Nordhavn · Århusgade 12 · Mira"))
            #expect(html.contains("&lt;b&gt;accepted&lt;/b&gt;") && !html.contains("<b>accepted"))
            #expect(html.contains("/deliveries/\(SampleDeliveries.whole(number: 1, []).id)"))
            #expect(html.contains("content=\"120; url=/log?since=60"))
            #expect(html.contains("sse-connect=\"/log/events?since=60&amp;store=nordhavn&amp;kind=status\""))
            #expect(html.contains("/log?since=60&amp;store=nordhavn&amp;kind=status&amp;cursor=p2"))
            let asked = desk.services.takeSent().filter { $0.path.hasPrefix("/v1/timeline") }.map(\.path)
            #expect(asked.count == 1 && asked[0].contains("order=newest") && asked[0].contains("store=nordhavn"))
        }
    }

    @Test(
        "An order's reference is searched as it was typed: a form sends a blank as a plus, and a plus by its code",
        arguments: [
            ("Kurv+77", "Kurv 77", "Kurv%2077"), ("Kurv%2077", "Kurv 77", "Kurv%2077"),
            ("Kurv%2B77", "Kurv+77", "Kurv%2B77"),
        ])
    func reference(sent: String, shown: String, asked: String) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.answer("orders", "/v1/timeline", Self.page([]))
            let html = try await ada.get("/log?since=60&reference=\(sent)").html
            #expect(html.contains("name=\"reference\" value=\"\(shown)\""))
            #expect(html.contains("sse-connect=\"/log/events?since=60&amp;reference=\(asked)\""))
            let paths = desk.services.takeSent().map(\.path).filter { $0.hasPrefix("/v1/timeline") }
            #expect(paths.count == 1 && paths[0].contains("reference=\(asked)"))
        }
    }

    @Test("An older page does not follow what happens")
    func older() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1/timeline", Self.page(["placed"]))
            let html = try await desk.browser(client).get("/log?cursor=p2").html
            #expect(!html.contains("sse-connect"))
        }
    }

    @Test("A change wakes the pages of what happened, and a stream sends rows only where they differ")
    func live() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1/timeline", Self.page(["placed"]))
            let reader = PageStreamsTests.reader(1)
            let slot = try #require(desk.streams.open(.events, for: reader))
            desk.streams.notify([SampleDeliveries.whole(number: 1, []).id])
            #expect(await slot.signal.next() == .events)
            var stream = EventsStream(filter: EventFilter(), http: desk.parts.pages, slot: slot)
            let first = try await stream.next() ?? []
            #expect(first.count == 1 && first.first?.event == "log")
            #expect(first.first?.data.contains("placed") == true)
            let repeated = try await stream.next()
            #expect(repeated == [])
            desk.services.set(away: ["orders"])
            var other = EventsStream(filter: EventFilter(store: "valby"), http: desk.parts.pages, slot: slot)
            let unread = try await other.next()
            #expect(unread == [], "the page keeps its rows")
        }
    }

    @Test("A day has its numbers by store and courier, and a name is text")
    func report() async throws {
        try await DeskUnderTest.run { desk, client in
            let figures = DayReportBody.Figures(
                delivered: 41, early: 2, inWindow: 30,
                late: .init(upTo5Minutes: 4, upTo15Minutes: 3, upTo30Minutes: 2, over30Minutes: 0), attempts: 5,
                cancelled: 6, returned: 0, failed: 0)
            try desk.services.answer(
                "orders", "/v1/report?day=2026%2D11%2D21&store=nordhavn",
                DayReportBody(
                    day: "2026-11-21", asOf: SampleDeliveries.placedAt, placed: 57, figures: figures, stores: [],
                    couriers: [.init(courier: SampleDeliveries.id("mira"), name: "<Mira>", figures: figures)],
                    cancellations: [.init(reason: "customer_request", count: 6)]))
            let html = try await desk.browser(client).get("/report?day=today&date=2026-11-21&store=nordhavn").html
            #expect(
                html.contains("<td>57</td>") && html.contains("<td>41</td>") && html.contains("as the customer asked"))
            #expect(html.contains("&lt;Mira&gt;") && html.contains("value=\"2026-11-21\""))
        }
    }

    @Test("A filter by a courier or store that nothing is known of is named with those that may be meant, on each page")
    func unknownFilters() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
            try desk.services.know(delivery)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
            try desk.services.answer(
                "orders", "/v1/orders", OrdersBody(orders: [], next: nil, changedUntil: SampleDeliveries.placedAt))
            try desk.services.answer("orders", "/v1/timeline", Self.page([]))
            let none = DayReportBody.Figures(
                delivered: 0, early: 0, inWindow: 0,
                late: .init(upTo5Minutes: 0, upTo15Minutes: 0, upTo30Minutes: 0, over30Minutes: 0), attempts: 0,
                cancelled: 0, returned: 0, failed: 0)
            try desk.services.answer(
                "orders", "/v1/report",
                DayReportBody(
                    day: "today", asOf: SampleDeliveries.placedAt, placed: 0, figures: none, stores: [], couriers: [],
                    cancellations: []))
            let mira = CouriersBody.Row(
                courier: SampleDeliveries.id("mira"), name: "Mira", phones: 1, lastSeenAt: nil, onDuty: true,
                deliveries: 1)
            try desk.services.answer("courier-eta", "/v1/couriers", CouriersBody(couriers: [mira], next: nil))
            try desk.services.answer(
                "courier-eta", "/v1/couriers?courier=mria", CouriersBody(couriers: [], next: nil))
            await desk.reader.read()
            let store = "No order is of a store nordhavm. Stores with live deliveries: nordhavn."
            let courier = "No courier mria is enrolled or assigned. There are: mira Mira, on duty, 1 delivery."
            for path in ["/", "/map", "/log", "/report"] {
                let mistyped = try await ada.get("\(path)?store=nordhavm&courier=mria").html
                #expect(mistyped.contains(store), "\(path)")
                #expect(mistyped.contains(courier) == (path != "/report"), "\(path)")
                let known = try await ada.get("\(path)?store=nordhavn&courier=mira").html
                #expect(!known.contains("No order is of") && !known.contains("No courier"), "\(path)")
                #expect(known.contains("<option value=\"nordhavn\" selected>Nordhavn</option>"), "\(path)")
                #expect(known.contains("<option value=\"mira\" selected>Mira</option>") == (path != "/report"))
            }
            desk.services.set(away: ["courier-eta"])
            #expect(try await !ada.get("/?courier=mria").html.contains(courier), "what is not known is not said")
        }
    }

    @Test("Nobody who is not signed in sees either")
    func signedOut() async throws {
        try await DeskUnderTest.run { _, client in
            for path in ["/log", "/report", "/cards"] {
                let answer = try await client.execute(uri: path, method: .get, headers: [.accept: "text/html"])
                #expect(answer.status == .seeOther)
            }
        }
    }
}
