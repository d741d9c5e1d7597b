import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("The store's contact on customers' pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct StoreContactTests {
    @Test("The store can be reached from the page and the details, above the items when something went wrong")
    func storeContact() async throws {
        try await OrdersUnderTest.run { orders, client in
            let contact = StoreContact(phone: "+45 33 12 34 56", url: "https://nordhavn.example/help")
            let placed = try await orders.place(client, try orders.body(contact: contact)).deliveries[0]
            let path = try await orders.viewLink(of: placed.id, client)
            func places() async throws -> (contact: String.Index, items: String.Index) {
                let answer = try await orders.page(client, path)
                let html = String(buffer: answer.body)
                #expect(html.contains("href=\"https://nordhavn.example/help\""))
                return (
                    try #require(html.range(of: "href=\"tel:+4533123456\"")).lowerBound,
                    try #require(html.range(of: "id=\"items-title\"")).lowerBound
                )
            }
            var order = try await places()
            #expect(order.contact > order.items)
            let json: LinkBody = try await orders.send(client, .get, path, as: nil).decode()
            #expect(json.store?.call == "tel:+4533123456" && json.store?.web == contact.url)
            let lines = ["Call Nordhavn: +45 33 12 34 56", "Write to Nordhavn: https://nordhavn.example/help"]
            #expect(json.details?.suffix(2).map(\.text) == lines)
            _ = try await orders.send(
                client, .put, "/v1/deliveries/\(placed.id)/hold", as: .operator, "ada", HoldBody(reason: "a test"))
            order = try await places()
            #expect(order.contact < order.items)
        }
    }
}
