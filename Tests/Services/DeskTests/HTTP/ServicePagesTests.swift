import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import TestSupport
import Testing

@testable import Desk

@Suite("Pages that ask services", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ServicePagesTests {
    @Test("Couriers are read from all pages, and the map asks about each store once")
    func couriers() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            func answer(_ names: [String], next: String?, after: String = "") throws {
                let rows = names.map { name in
                    CouriersBody.Row(
                        courier: SampleDeliveries.id(name), name: name, phones: 1, lastSeenAt: nil, onDuty: true,
                        deliveries: 0, malformed: nil, malformedAt: nil)
                }
                try desk.services.answer(
                    "courier-eta", "/v1/couriers?limit=500\(after)",
                    CouriersBody(couriers: rows, next: next.map { SampleDeliveries.id($0) }))
            }
            let delivery = SampleDeliveries.whole(number: 1, [])
            try desk.services.know(delivery)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
            try answer(["mira"], next: "mira")
            try answer(["noor"], next: nil, after: "&after=mira")
            await desk.reader.read()
            let page = try await ada.get("/couriers").html
            #expect(page.contains("mira") && page.contains("noor"))
            #expect(page.contains(" Europe/Copenhagen.") && !page.contains(" UTC"), "times are the stores'")
            #expect(!page.contains("tel:"), "a courier without a delivery has no number")
            _ = desk.services.takeSent()
            for _ in 0..<2 {
                let places = try await ada.get("/map/places")
                #expect(places.0.status == .ok && places.html.contains(delivery.store.id.rawValue))
            }
            #expect(desk.services.takeSent().count { $0.path == "/v1/deliveries/\(delivery.id)" } == 1)
        }
    }

    @Test("A courier with a delivery can be called from the page, which asks for no number")
    func courierNumbers() async throws {
        try await DeskUnderTest.run { desk, client in
            let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
            try desk.services.know(delivery)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
            try desk.services.answer("courier-eta", "/v1/couriers", CouriersBody(couriers: [], next: nil))
            await desk.reader.read()
            let ada = try await desk.browser(client)
            _ = desk.services.takeSent()
            let page = try await ada.get("/couriers")
            #expect(page.html.contains("formaction=\"/deliveries/\(delivery.id)/call/courier\""))
            #expect(!page.html.contains("tel:"))
            #expect(page.html.contains("<form id=\"call\" method=\"post\">"))
            #expect(page.0.headers[.contentSecurityPolicy]?.contains("form-action 'self' tel:") == true)
            _ = try await ada.get("/")
            #expect(!desk.services.takeSent().contains { $0.path.hasPrefix("/v1/contacts") })
            let viewer = try await desk.browser(client, as: "vi", role: .viewer)
            #expect(try await !viewer.get("/couriers").html.contains("id=\"call\""))
        }
    }

    @Test("A supervisor settles a dead letter and has a service publish everything again")
    func repairs() async throws {
        try await DeskUnderTest.run { desk, client in
            let id = UUID().uuidString.lowercased()
            let letter = DeadLetterBody(
                id: id, subject: "orders.s", error: "e", attempts: 3, occurredAt: desk.wall.now, state: "open",
                payload: nil)
            let path = "/v1/admin/dead-letters"
            try desk.services.answer("orders", path, DeadLettersBody(deadLetters: [letter], next: nil))
            for repair in ["retry", "drop"] {
                try desk.services.answer("orders", "POST \(path)/\(id)/\(repair)", letter)
            }
            try desk.services.answer("orders", "POST /v1/admin/republish", RepublishBody(republished: 3))
            let sven = try await desk.browser(client, as: "sven", role: .supervisor)
            #expect(try await sven.get("/dead-letters").html.contains("orders.s"))
            _ = desk.services.takeSent()
            let retried = try await sven.post("/dead-letters/orders/\(id)/retry", [])
            #expect(retried.0.headers[.location] == "/dead-letters?done=retry")
            let dropped = try await sven.post("/dead-letters/orders/\(id)/drop", [("reason", "a test's")])
            #expect(dropped.0.headers[.location] == "/dead-letters?done=drop")
            let sent = desk.services.takeSent()
            #expect(sent.map(\.path) == ["\(path)/\(id)/retry", "\(path)/\(id)/drop"])
            #expect(sent.map(\.body) == ["", #"{"reason":"a test's"}"#])
            #expect(try await sven.post("/dead-letters/orders/\(id)/explode", []).0.status == .notFound)
            let republished = try await sven.post("/health/orders/republish", [])
            #expect(republished.0.headers[.location] == "/health?republished=3")
        }
    }

    @Test("A supervisor erases a customer whose id they give twice, and sees how far it is until the certificate")
    func erases() async throws {
        try await DeskUnderTest.run { desk, client in
            func body(_ state: PersonRequestBody.State, id: String) -> PersonRequestBody {
                let isDone = state == .done
                return PersonRequestBody(
                    id: id, kind: .erase, state: state, customer: isDone ? nil : CustomerID(rawValue: "mette"),
                    requestedBy: "operator sven", requestedAt: desk.wall.now,
                    finishedAt: isDone ? desk.wall.now : nil,
                    services: [
                        .init(
                            service: "partners", isDone: isDone, tables: [.init(table: "events", rows: 14)],
                            failure: isDone ? nil : "no answer")
                    ], expiries: isDone ? [.init(what: "back-ups", until: nil)] : nil)
            }
            let id = UUID().uuidString.lowercased()
            try desk.services.answer("orders", "POST /v1/customers/mette/erase", body(.running, id: id))
            try desk.services.answer("orders", "/v1/person-requests/\(id)", body(.running, id: id))
            let sven = try await desk.browser(client, as: "sven", role: .supervisor)
            #expect(try await sven.get("/health").html.contains(#"href="/persons""#))
            let persons = try await sven.get("/persons").html
            #expect(persons.contains("<h1>Export or erase a person</h1>") && persons.contains("Erase the customer"))
            #expect(persons.contains("<title>Export or erase a person · Doorstep desk</title>"))
            _ = desk.services.takeSent()
            let mistaken = try await sven.post("/persons/erase", [("customer", "mette"), ("again", "metta")])
            #expect(mistaken.0.status == .unprocessableContent && desk.services.takeSent().isEmpty)
            let accepted = try await sven.post("/persons/erase", [("customer", "mette"), ("again", "mette")])
            #expect(accepted.0.headers[.location] == "/persons/\(id)")
            #expect(desk.services.takeSent().map(\.body) == [#"{"endLive":false}"#])
            let running = try await sven.get("/persons/\(id)").html
            #expect(running.contains("mette is being erased") && running.contains("no answer"))
            try desk.services.answer("orders", "/v1/person-requests/\(id)", body(.done, id: id))
            let done = try await sven.get("/persons/\(id)").html
            #expect(done.contains("The customer is erased") && done.contains("14 erased") && done.contains("back-ups"))
            #expect(!done.contains("mette"))
        }
    }

    @Test("A supervisor erases a courier by the same page")
    func erasesCourier() async throws {
        try await DeskUnderTest.run { desk, client in
            let id = UUID().uuidString.lowercased()
            let running = PersonRequestBody(
                id: id, kind: .erase, state: .running, person: .courier, customer: nil,
                courier: CourierID(rawValue: "jonas"), requestedBy: "operator sven", requestedAt: desk.wall.now,
                finishedAt: nil, services: [], expiries: nil)
            try desk.services.answer("orders", "POST /v1/couriers/jonas/erase", running)
            try desk.services.answer("orders", "/v1/person-requests/\(id)", running)
            let sven = try await desk.browser(client, as: "sven", role: .supervisor)
            #expect(try await sven.get("/persons").html.contains("Erase the courier"))
            _ = desk.services.takeSent()
            let mistaken = try await sven.post("/persons/erase", [("courier", "jonas"), ("again", "jonna")])
            #expect(mistaken.0.status == .unprocessableContent && desk.services.takeSent().isEmpty)
            let accepted = try await sven.post(
                "/persons/erase", [("courier", "jonas"), ("again", "jonas"), ("endLive", "yes")])
            #expect(accepted.0.headers[.location] == "/persons/\(id)")
            #expect(desk.services.takeSent().map(\.body) == [#"{"endLive":true}"#])
            #expect(try await sven.get("/persons/\(id)").html.contains("The courier jonas is being erased"))
        }
    }

    @Test("A page that only reads names the outage alone, and the answer to a form whether it may have been done")
    func consequences() async throws {
        try await DeskUnderTest.run { desk, client in
            let sven = try await desk.browser(client, as: "sven", role: .supervisor)
            desk.services.set(away: ["orders"])
            let report = try await sven.get("/report")
            #expect(report.0.status == .serviceUnavailable && report.html.contains("orders does not answer"))
            for text in ["change may not", "Nothing was changed", "may have been done"] {
                #expect(!report.html.contains(text), "\(text)")
            }
            let late = try await sven.post("/health/orders/republish", [])
            #expect(late.0.status == .serviceUnavailable && late.html.contains("It may have been done"))
            desk.services.set(away: ["orders"], .ofConnections)
            let unsent = try await sven.post("/health/orders/republish", [])
            #expect(unsent.0.status == .serviceUnavailable && unsent.html.contains("Nothing was changed"))
        }
    }

    @Test("A search is of the text that was typed, with its blanks")
    func searchWithBlank() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            await desk.reader.read()
            _ = desk.services.takeSent()
            let page = try await ada.get("/?q=Mette+Holm")
            #expect(page.0.status == .ok && page.html.contains("name=\"q\" value=\"Mette Holm\""))
            #expect(desk.services.takeSent().contains { $0.path.contains("search=Mette%20Holm") })
        }
    }

    @Test("Without scripts Now reloads less often for those who may tick deliveries and write a reason")
    func reloads() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            await desk.reader.read()
            let ada = try await desk.browser(client)
            #expect(try await ada.get("/").html.contains("content=\"120; url=/?reload=true\""))
            let vera = try await desk.browser(client, as: "vera", role: .viewer)
            #expect(try await vera.get("/").html.contains("content=\"20; url=/?reload=true\""))
        }
    }

    @Test("A page too many of a session is refused with the number that is open, which each page can name")
    func tooManyPages() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let delivery = SampleDeliveries.whole(number: 1, [])
            try desk.services.know(delivery)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
            try desk.services.answer(
                "orders", "/v1/timeline",
                TimelinePageBody(rows: [], next: nil, until: SampleDeliveries.placedAt))
            await desk.reader.read()
            let user = try #require(try await desk.signIn.user(of: ada.secret))
            let reader = SignedIn(user: user, secret: ada.secret)
            let slots = (0..<SignedIn.streamsMax).compactMap { _ in desk.streams.open(.board, for: reader) }
            let own = "/deliveries/\(delivery.id)"
            for (page, stream) in [("/", "/now/events"), ("/log", "/log/events"), (own, "\(own)/events")] {
                let html = try await ada.get(page).html
                #expect(html.contains("data-full=\"{pages} pages of the desk are open; close one."), "\(page)")
                let refused = try await ada.get(stream, accept: "text/event-stream")
                #expect(refused.0.status == .tooManyRequests && refused.0.headers[.retryAfter] == "30", "\(page)")
                let problem = try JSONSerialization.jsonObject(with: Data(refused.html.utf8)) as? [String: Any]
                #expect((problem?["type"] as? String)?.hasSuffix("/too-many-pages") == true, "\(page)")
                #expect(problem?["pages_max"] as? Int == slots.count, "\(page)")
            }
        }
    }

    @Test("Pages that read themselves again can say that the desk does not answer, and follow until they are complete")
    func connectionNotices() async throws {
        try await DeskUnderTest.run { desk, client in
            let id = UUID().uuidString.lowercased()
            func request(_ state: PersonRequestBody.State, _ kind: PersonRequestBody.Kind) -> PersonRequestBody {
                PersonRequestBody(
                    id: id, kind: kind, state: state, customer: CustomerID(rawValue: "mette"),
                    requestedBy: "operator sven", requestedAt: desk.wall.now, finishedAt: nil, services: [],
                    expiries: nil)
            }
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            try desk.services.answer("courier-eta", "/v1/couriers", CouriersBody(couriers: [], next: nil))
            await desk.reader.read()
            let sven = try await desk.browser(client, as: "sven", role: .supervisor)
            let path = "/persons/\(id)"
            func expectNotice(_ path: String) async throws {
                let html = try await sven.get(path).html
                #expect(html.contains("<p id=\"connection\"") && html.contains("data-no-connection="), "\(path)")
                #expect(html.contains("/assets/live.") && html.contains("/assets/connection."), "\(path)")
            }
            for path in ["/couriers", "/health"] { try await expectNotice(path) }
            for kind in [PersonRequestBody.Kind.erase, .export] {
                try desk.services.answer("orders", "/v1/person-requests/\(id)", request(.running, kind))
                try await expectNotice(path)
                try desk.services.answer("orders", "/v1/person-requests/\(id)", request(.done, kind))
                let done = try await sven.get(path).html
                #expect(done.contains("data-over=\"true\"") && !done.contains("hx-trigger"))
            }
        }
    }

    @Test("A text that is longer than orders accepts, counted in code points, is not searched, and the page has that")
    func longSearch() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            await desk.reader.read()
            let longest = BoardFilter.searchCharactersMax
            for (text, count, isSearched) in [
                ("x", longest, true), ("x", longest + 1, false), ("e%CC%81", longest / 2 + 1, false),
            ] {
                _ = desk.services.takeSent()
                let page = try await ada.get("/?q=" + String(repeating: text, count: count))
                #expect(page.0.status == .ok)
                #expect(page.html.contains("a search has at most \(longest) characters") != isSearched)
                let isAsked = desk.services.takeSent().contains { $0.path.contains("&search=") }
                #expect(isAsked == isSearched, "\(count) × \(text)")
            }
        }
    }
}
