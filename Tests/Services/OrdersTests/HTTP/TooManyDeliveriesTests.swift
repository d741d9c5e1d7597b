import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Live deliveries of a customer", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct TooManyDeliveriesTests {
    @Test("A customer has 60 live deliveries at most, however many orders come at once, and others have theirs")
    func bounded() async throws {
        try await OrdersUnderTest.run { orders, client in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...8 {
                    let body = try orders.body(bags: 10, reference: "G-\(number)")
                    group.addTask {
                        try await orders.send(
                            client, .post, "/v1/orders", as: .store, "nordhavn", body,
                            ["Idempotency-Key": "flood-\(number)"]
                        ).status.code
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }.sorted()
            }
            #expect(statuses == [201, 201, 201, 201, 201, 201, 409, 409])
            let refused = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", try orders.body(reference: "G-9"),
                ["Idempotency-Key": "one-more"])
            #expect(String(buffer: refused.body).contains("problems/too-many-deliveries"))
            _ = try await orders.place(client, try orders.body(bags: 10, customer: "noor", reference: "G-10"))
        }
    }

    @Test("A store's deliveries leave another store's token its own number, and a token of every store counts them all")
    func ofStores() async throws {
        try await OrdersUnderTest.run { orders, client in
            func place(
                at store: String, _ key: String, bags: Int = 10, by scope: String?
            ) async throws -> TestResponse {
                var body = try orders.body(bags: bags, reference: key)
                body.store = Store(
                    id: try #require(StoreID(rawValue: store)), name: store, location: body.store.location,
                    timeZone: body.store.timeZone)
                let token = try await orders.token(.store, "shop", store: scope)
                return try await orders.send(
                    client, .post, "/v1/orders", token: token, body, ["Idempotency-Key": key])
            }
            for number in 1...6 {
                #expect(try await place(at: "nordhavn", "G-\(number)", by: "nordhavn").status == .created)
            }
            let refused = try await place(at: "nordhavn", "G-7", bags: 1, by: "nordhavn")
            #expect(refused.status == .conflict && String(buffer: refused.body).contains("deliveries of nordhavn"))
            #expect(try await place(at: "valby", "G-8", bags: 1, by: "valby").status == .created)
            let ofAll = try await place(at: "valby", "G-9", bags: 1, by: nil)
            #expect(ofAll.status == .conflict && String(buffer: ofAll.body).contains("61 live deliveries, and"))
        }
    }

    @Test("A delivery that has ended makes room, and the refused order is taken with the same key")
    func roomAgain() async throws {
        try await OrdersUnderTest.run { orders, client in
            var placed: [DeliveryBody] = []
            for number in 1...6 {
                placed += try await orders.place(
                    client, try orders.body(bags: 10, reference: "G-\(number)")
                ).deliveries
            }
            let body = try orders.body()
            func attempt() async throws -> Int {
                try await orders.send(
                    client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "again"]
                ).status.code
            }
            #expect(try await attempt() == 409)
            _ = try await orders.change(
                placed[0].id, .status(.cancelled, reason: nil), by: Principal(.system("test")))
            #expect(try await attempt() == 201)
        }
    }
}
