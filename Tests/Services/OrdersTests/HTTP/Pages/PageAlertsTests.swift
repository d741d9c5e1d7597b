import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Alerts of customers' pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct PageAlertsTests {
    private static let subscription = AlertSubscriptionBody(
        endpoint: "https://push.example/abc", keys: .init(p256dh: "BCVx", auth: "BTBZ"))

    /// A delivery's page by the link that its shop texted.
    private struct Page {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let delivery: DeliveryID
        let path: String
        var cookie: String?

        func html() async throws -> String {
            try await String(buffer: orders.page(client, path, cookie: cookie ?? "none=1", language: "da").body)
        }

        mutating func prove() async throws {
            let answer = try await orders.post(client, path + "/proof", "reference=G-1042")
            cookie = try String(#require(answer.headers[.setCookie]).prefix { $0 != ";" })
        }

        func set(
            _ body: AlertSubscriptionBody = PageAlertsTests.subscription, origin: String = OrdersUnderTest.origin
        ) async throws -> TestResponse {
            try await orders.send(
                client, .put, path + "/alerts", as: nil, "", body,
                ["Cookie": cookie ?? "none=1", "Origin": origin, "Accept-Language": "da"])
        }
    }

    private func withPage(_ body: @escaping @Sendable (inout Page) async throws -> Void) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            var page = Page(
                orders: orders, client: client, delivery: delivery,
                path: try await orders.viewLink(of: delivery, client))
            try await body(&page)
        }
    }

    @Test("Whoever gave the order's number is offered them, in their language; others are asked for the number")
    func offered() async throws {
        try await withPage { page in
            let before = try await page.html()
            #expect(!before.contains("id=\"alerts\"") && before.contains("Ændr noget, eller få besked"))
            try await page.prove()
            let after = try await page.html()
            #expect(after.contains("data-key=\"\(WantedCardsByTest.alertKey)\""))
            #expect(after.contains("data-path=\"\(page.path)/alerts\"") && after.contains("Giv mig besked"))
            for status in [StatusCode.accepted, .cancelled] {
                try await page.orders.set(status, page.delivery, page.client)
            }
            #expect(try await !page.html().contains("id=\"alerts\""))
        }
    }

    @Test("A subscription is passed on with the delivery and the language, and so is its end")
    func passedOn() async throws {
        try await withPage { page in
            try await page.prove()
            #expect(try await page.set().status == .noContent)
            let asked = try #require(page.orders.wanted.asked.last)
            #expect(asked.delivery == page.delivery && asked.locale == "da" && asked.keys?.p256dh == "BCVx")
            #expect(
                try await page.set(AlertSubscriptionBody(endpoint: Self.subscription.endpoint, keys: nil)).status
                    == .noContent)
            #expect(page.orders.wanted.asked.last?.keys == nil)
        }
    }

    @Test("A browser that gives the number again keeps its proof, and so its share of the delivery's notifications")
    func givenAgain() async throws {
        try await withPage { page in
            try await page.prove()
            let cookie = try #require(page.cookie)
            let again = try await page.orders.post(
                page.client, page.path + "/proof", "reference=G-1042", cookie: cookie)
            #expect(again.status == .seeOther && again.headers[.setCookie] == nil)
        }
    }

    @Test("Nothing is passed on without the number, from another site, or by a link that shows nothing")
    func refused() async throws {
        try await withPage { page in
            let unproven = try await page.set()
            #expect(unproven.status == .forbidden && String(buffer: unproven.body).contains("order-not-proven"))
            try await page.prove()
            let foreign = try await page.set(origin: "https://elsewhere.example")
            #expect(foreign.status == .forbidden && String(buffer: foreign.body).contains("foreign-form"))
            _ = try await page.orders.send(
                page.client, .delete, "/v1/deliveries/\(page.delivery)/view-link", as: .store, "nordhavn")
            #expect(try await page.set().status == .gone)
            #expect(page.orders.wanted.asked.isEmpty)
        }
    }

    @Test(
        "What activity-dispatch refuses, the page is answered",
        arguments: [
            (
                AlertSubscriptionAnswer.Refusal.Reason.malformed, HTTPResponse.Status.unprocessableContent,
                "subscription-refused"
            ),
            (.ended, .conflict, "delivery-ended"),
        ])
    func refusals(
        reason: AlertSubscriptionAnswer.Refusal.Reason, status: HTTPResponse.Status, problem: String
    ) async throws {
        try await withPage { page in
            try await page.prove()
            page.orders.wanted.refuse(.init(reason, "a test"))
            let answer = try await page.set()
            #expect(answer.status == status && String(buffer: answer.body).contains(problem))
        }
    }

    @Test("While activity-dispatch is away nothing is promised")
    func away() async throws {
        try await withPage { page in
            try await page.prove()
            page.orders.wanted.goAway()
            let answer = try await page.set()
            #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] != nil)
        }
    }
}
