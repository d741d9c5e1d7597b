import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Times on customers' and couriers' pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct WrittenTimesTests {
    /// The first second of winter time in Copenhagen, 31 October 2027.
    private static let winter = Date(timeIntervalSince1970: 1_824_944_400)

    private func page(
        _ path: String, _ language: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> String {
        try await String(buffer: orders.page(client, path, language: language).body)
    }

    @Test(
        "The time since when a page has no connection is in as many hours as the page's other times",
        arguments: [("en-US", true), ("en-GB", false), ("da", false)])
    func hourCycle(language: String, isTwelve: Bool) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            for path in [
                try await orders.viewLink(of: id, client), try await orders.courierLink(of: "mira", client),
            ] {
                let html = try await page(path, language, orders, client)
                #expect(html.contains(" data-hour-cycle=\"h12\"") == isTwelve, "\(path)")
            }
        }
    }

    @Test(
        "They have the day of a time on another day, and tell the hour apart that comes twice",
        arguments: [(-2_700.0, "02:15 (UTC+2)"), (900, "02:15 (UTC+1)")])
    func pages(seconds: Double, clock: String) async throws {
        try await OrdersUnderTest.run { orders, client in
            let plain = try orders.body()
            let end = Self.winter.addingTimeInterval(seconds)
            let promise = try #require(Promise(start: end.addingTimeInterval(-1_800), end: end))
            let body = PlaceOrderBody(
                reference: plain.reference, customer: plain.customer, store: plain.store, promise: promise,
                door: plain.door, handoff: nil, deliveries: plain.deliveries)
            let placed = try await orders.place(client, body).deliveries[0]
            try await orders.assign("mira", placed.id, client)
            let view = try await orders.viewLink(of: placed.id, client)
            let link = try await orders.courierLink(of: "mira", client)
            for (language, day) in [("en", "Sun 31 Oct 2027"), ("da", "søn. 31. okt. 2027")] {
                let customers = try await page(view, language, orders, client)
                let couriers = try await page(link, language, orders, client)
                // The window's beginning has the day, its end has none of its own.
                #expect(customers.contains("\(language == "en" ? "promised" : "lovet") \(day) "))
                #expect(customers.contains("–\(clock)"))
                #expect(couriers.contains("\(day) \(clock)"), "\(couriers)")
            }
        }
    }
}
