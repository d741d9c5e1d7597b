import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import SeededRandom
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Changes that are repeated", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct RepeatedChangesTests {
    /// A promise as a shop writes it, to a fraction of a second.
    private struct PromiseText: Encodable {
        let start: String
        let end: String
    }

    /// What a repeated change must leave as it is.
    private struct State: Hashable {
        let version: String?
        let body: String
        let lines: Int
        let messages: Int
    }

    private func state(
        _ response: TestResponse, of delivery: DeliveryID, _ orders: OrdersUnderTest
    ) async throws -> State {
        let rows = try await orders.pool.query("SELECT FROM timeline WHERE delivery_id = \(delivery.rawValue)")
        let messages = try await orders.outbox().count
        return State(
            version: response.headers[.eTag], body: String(buffer: response.body), lines: rows.count,
            messages: messages)
    }

    /// Sends a request twice and expects that the second changes nothing.
    private func expectOneChange(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, _ body: some Encodable,
        as role: Role = .store, _ subject: String = "nordhavn", of delivery: DeliveryID, _ orders: OrdersUnderTest
    ) async throws {
        let first = try await orders.send(client, method, path, as: role, subject, body)
        #expect(first.status == .ok, "\(method) \(path): \(String(buffer: first.body))")
        let before = try await state(first, of: delivery, orders)
        orders.clock.advance(by: 1.0007)
        let second = try await orders.send(client, method, path, as: role, subject, body)
        #expect(try await state(second, of: delivery, orders) == before, "\(method) \(path)")
    }

    @Test("An item is short by a number only, since without one all would be found")
    func shortByNumber() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking], id, client)
            let response = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .short))
            #expect(response.status == .badRequest && String(buffer: response.body).contains("quantity"))
        }
    }

    @Test("A question in the last seconds of the promise gives the customer the usual time, one before until its end")
    func lastSeconds() async throws {
        try await OrdersUnderTest.run { orders, client in
            for (left, answerSeconds) in [(60.0, 60.0), (29, 600)] {
                let body = try orders.body(reference: "G-\(Int(left))")
                let placed = try await orders.place(client, body).deliveries[0]
                orders.clock.advance(by: placed.promise.end.timeIntervalSince(orders.clock.now) - left)
                let now = orders.clock.now
                let asked: DeliveryBody = try await orders.send(
                    client, .patch, "/v1/deliveries/\(placed.id)/items/milk", as: .store, "nordhavn",
                    ItemBody(status: .substituteProposed, substitute: .init(name: "Oat milk"))
                ).decode()
                #expect(asked.flags.contains(.needsCustomer))
                let stored = try #require(try await OrderRepository.delivery(placed.id, on: orders.pool)).delivery
                let until = try #require(stored.needsCustomerUntil)
                // Times are stored in milliseconds.
                #expect(until.timeIntervalSince(now).rounded() == answerSeconds)
            }
        }
    }

    @Test("The same promise again is no change: version, timeline, flags and messages stay")
    func promise() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            var random = SeededGenerator(seed: 7)
            for hour in 10..<22 {
                for digits in [3, 6] {
                    let fraction = Int.random(in: 0..<(digits == 3 ? 1_000 : 1_000_000), using: &random)
                    let padded = String(String(fraction + 10_000_000).suffix(digits))
                    try await expectOneChange(
                        client, .put, "/v1/deliveries/\(delivery)/promise",
                        PromiseText(
                            start: "2026-11-21T\(hour):00:00.\(padded)Z", end: "2026-11-22T\(hour):00:00.\(padded)Z"),
                        of: delivery, orders)
                }
            }
        }
    }

    @Test("Every other change again is no change")
    func others() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            let path = "/v1/deliveries/\(delivery)"
            let courier = CourierBody(
                id: try #require(CourierID(rawValue: "mira")), name: "Mira", vehicle: .bicycle, phone: "+4512345678")
            let oats = ItemBody.SubstituteBody(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 300)
            func expectOneChange(
                _ method: HTTPRequest.Method, _ end: String, _ body: some Encodable, as role: Role = .store,
                _ subject: String = "nordhavn"
            ) async throws {
                try await self.expectOneChange(
                    client, method, path + end, body, as: role, subject, of: delivery, orders)
            }
            try await expectOneChange(.post, "/status", StatusBody(status: .accepted))
            try await expectOneChange(.put, "/courier", AssignBody(courier: .described(courier)))
            try await expectOneChange(.put, "/trip", TripBody(stopsBefore: 2))
            try await expectOneChange(.put, "/trip", TripBody(stopsBefore: 0))
            try await expectOneChange(.put, "/hold", HoldBody(reason: "road closed"), as: .operator, "ada")
            try await expectOneChange(.delete, "/hold", HoldBody(reason: "open again"), as: .operator, "ada")
            try await expectOneChange(.post, "/status", StatusBody(status: .picking))
            for item in [
                ItemBody(status: .short, quantity: 1), ItemBody(status: .outOfStock),
                ItemBody(status: .substituteProposed, substitute: oats),
                ItemBody(status: .substituted, substitute: oats), ItemBody(status: .refunded),
            ] {
                try await expectOneChange(.patch, "/items/milk", item)
            }
            let butter = AddItemsBody(items: [.init(id: try #require(ItemID(rawValue: "butter")), name: "Butter")])
            try await expectOneChange(.post, "/items", butter)
            try await expectOneChange(.patch, "/drop-off", DropOffBody(note: .text("by the lift")))
            try await expectOneChange(.patch, "/recipient", RecipientBody(name: .text("Ole Holm")))
            for status in [StatusCode.staged, .pickedUp, .enRoute, .arriving, .atDoor, .delivered] {
                try await expectOneChange(.post, "/status", StatusBody(status: status))
                // A shop that got no answer may send it again at any later status.
                try await expectOneChange(.post, "/items", butter)
            }
        }
    }
}
