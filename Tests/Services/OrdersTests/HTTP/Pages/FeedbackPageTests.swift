import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("The page's question after the end", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FeedbackPageTests {
    /// The page of a delivered delivery, by the link of its card's button.
    private struct Page {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let id: DeliveryID
        let path: String

        func html(_ cookie: String? = nil, language: String = "en") async throws -> String {
            let answer = try await orders.page(client, path, cookie: cookie, language: language)
            #expect(answer.status == .ok)
            return String(buffer: answer.body)
        }

        func answer(
            _ fields: String, _ cookie: String? = nil, origin: String = OrdersUnderTest.origin
        ) async throws -> TestResponse {
            try await orders.post(client, path + "/feedback", fields, origin: origin, cookie: cookie)
        }

        func feedback() async throws -> DeliveryFeedback? {
            try await OrderRepository.delivery(id, on: orders.pool)?.delivery.feedback
        }
    }

    private func withPage(_ body: @escaping @Sendable (Page) async throws -> Void) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("jonas", id, client)
            try await orders.set([.accepted, .picking, .pickedUp, .delivered], id, client)
            let path = try await orders.link("feedback", of: id, client)
            try await body(Page(orders: orders, client: client, id: id, path: path))
        }
    }

    @Test("Whoever gave the order's number answers with one press, and the page has the answer until it is settled")
    func answers() async throws {
        try await withPage { page in
            let alone = try await page.html()
            #expect(!alone.contains("id=\"feedback\"") && alone.contains("action=\"\(page.path)/proof\""))
            #expect(try await page.answer("feedback=missing").status == .unprocessableContent)
            #expect(try await page.answer("feedback=missing&reference=G-9999").status == .unprocessableContent)
            #expect(try await page.feedback() == nil)

            let first = try await page.answer("feedback=missing&item=0&item=7&item=x&reference=G-1042")
            #expect(first.status == .seeOther && first.headers[.location] == page.path)
            let cookie = String(try #require(first.headers[.setCookie]).prefix { $0 != ";" })
            #expect(try await page.feedback()?.kind == .missing)
            #expect(try await page.feedback()?.items.map(\.rawValue) == ["milk"])
            let html = try await page.html(cookie)
            #expect(html.contains("You have answered: Something is missing · Milk."))
            #expect(html.contains("id=\"feedback-all_right\"") && html.contains("value=\"0\" checked"))
            #expect(try await page.html(cookie, language: "da").contains("Du har svaret: Der mangler noget · Milk."))

            #expect(try await page.answer("feedback=all_right", cookie).status == .seeOther)
            #expect(try await page.feedback()?.kind == .allRight)
        }
    }

    @Test("A customer's problem from their page has a courier's waiting dispute count first")
    func disputed() async throws {
        try await withPage { page in
            let jonas = try #require(CourierID(rawValue: "jonas"))
            let request = PressStop.Request(id: UUID(), delivery: page.id, action: .mistaken)
            let press = try await PressStop(change: page.orders.change)(request, by: jonas)
            #expect(press.state == .waiting)
            #expect(try await page.answer("feedback=missing&reference=G-1042").status == .seeOther)
            #expect(try await CourierPressRepository.press(press.id, on: page.orders.pool)?.state == .done)
            #expect(try await page.feedback()?.kind == .missing)
        }
    }

    @Test("What is ticked stays ticked on an open page until another answer is recorded, which the page then shows")
    func ticks() async throws {
        try await withPage { page in
            /// The ids by which the page keeps its boxes.
            func kept(_ html: String) -> [String] {
                html.matches(of: #/type="checkbox" id="([a-z0-9-]+)" hx-preserve="true"/#).map { String($0.output.1) }
            }
            let first = try await page.answer("feedback=missing&item=0&reference=G-1042")
            let cookie = String(try #require(first.headers[.setCookie]).prefix { $0 != ";" })
            let html = try await page.html(cookie)
            #expect(!kept(html).isEmpty && kept(html).count == html.ranges(of: "type=\"checkbox\"").count)
            #expect(Set(kept(html)).count == kept(html).count)
            page.orders.clock.advance(by: 60)
            #expect(try await kept(page.html(cookie)) == kept(html))
            #expect(try await page.answer("feedback=damaged", cookie).status == .seeOther)
            #expect(try await Set(kept(page.html(cookie))).isDisjoint(with: kept(html)))
        }
    }

    @Test("Without scripts the page is loaded again seldom while it asks for the number or an answer, and soon after")
    func reloads() async throws {
        try await withPage { page in
            func seconds(_ html: String) -> Substring? {
                html.firstMatch(of: #/http-equiv="refresh" content="([0-9]+); url=/#)?.output.1
            }
            #expect(try await seconds(page.html()) == "120")
            let first = try await page.answer("feedback=damaged&reference=1042")
            let cookie = String(try #require(first.headers[.setCookie]).prefix { $0 != ";" })
            #expect(try await seconds(page.html(cookie)) == "120")
            _ = try await page.orders.send(
                page.client, .post, "/v1/deliveries/\(page.id)/status", as: .operator, "ada",
                StatusBody(status: .delivered, reason: "refunded"), ["If-Match": "*"])
            #expect(try await seconds(page.html(cookie)) == "20")
        }
    }

    @Test("A settled answer is shown and not asked again, and a late one changes nothing")
    func settled() async throws {
        try await withPage { page in
            let first = try await page.answer("feedback=damaged&reference=1042")
            let cookie = String(try #require(first.headers[.setCookie]).prefix { $0 != ";" })
            _ = try await page.orders.send(
                page.client, .post, "/v1/deliveries/\(page.id)/status", as: .operator, "ada",
                StatusBody(status: .delivered, reason: "refunded"), ["If-Match": "*"])
            let html = try await page.html(cookie)
            #expect(html.contains("The store has decided about it.") && !html.contains("feedback-all_right"))
            #expect(try await page.answer("feedback=all_right", cookie).status == .seeOther)
            #expect(try await page.feedback()?.kind == .damaged)
        }
    }

    @Test("A form from before the delivery was reopened says nothing about its later end")
    func reopened() async throws {
        try await withPage { page in
            let open = try await page.orders.send(
                page.client, .post, "/v1/deliveries/\(page.id)/status", as: .operator, "ada",
                StatusBody(status: .atDoor, reason: "the wrong door"), ["If-Match": "*"])
            #expect(open.status == .ok)
            try await page.orders.set(.delivered, page.id, page.client)
            let late = try await page.answer("feedback=missing&reference=G-1042")
            #expect(late.status == .seeOther && late.headers[.location] == page.path)
            #expect(try await page.feedback() == nil)
        }
    }

    @Test("A page of a customer who was erased is found no more, nor are its forms")
    func erased() async throws {
        try await withPage { page in
            let customer = try #require(CustomerID(rawValue: "mette"))
            try await page.orders.pool.execute(ErasureRepository.freeze(customer, at: page.orders.clock.now))
            let shown = try await page.orders.page(page.client, page.path)
            #expect(shown.status == .notFound)
            #expect(try await page.answer("feedback=missing&reference=G-1042").status == .notFound)
            let body = try await page.orders.send(page.client, .get, page.path, as: nil)
            #expect(body.status == .notFound)
            let events = try await page.client.execute(uri: page.path + "/events", method: .get)
            #expect(events.status == .notFound)
        }
    }

    @Test("A form of another site, and one without an answer, change nothing")
    func refused() async throws {
        try await withPage { page in
            let foreign = try await page.answer("feedback=missing&reference=G-1042", origin: "https://evil.example")
            #expect(foreign.status == .forbidden)
            #expect(try await page.answer("feedback=late&reference=G-1042").status == .badRequest)
            #expect(try await page.feedback() == nil)
            page.orders.clock.advance(by: DeliveryFeedback.windowSeconds + 1)
            #expect(try await page.answer("feedback=missing&reference=G-1042").status == .gone)
        }
    }
}
