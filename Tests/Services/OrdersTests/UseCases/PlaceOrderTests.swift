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
import WireCoding

@testable import Orders

@Suite("Placing an order", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PlaceOrderTests {
    @Test("A repeat with the same key gets the first response and stores no second order")
    func repeated() async throws {
        try await OrdersUnderTest.run { orders, client in
            let body = try orders.body()
            let first = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "one"])
            let second = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "one"])
            #expect(first.status == .created && second.status == .created)
            #expect(first.body == second.body)
            #expect(second.headers[try #require(HTTPField.Name("Idempotent-Replayed"))] == "true")
            let order: OrderBody = try first.decode()
            #expect(first.headers[.location] == "/v1/orders/\(order.id)")
            #expect(second.headers[.location] == first.headers[.location])
            #expect(first.headers[.eTag] == entityTag(versions: order.deliveries.map(\.version)))
            #expect(second.headers[.eTag] == first.headers[.eTag])
            let read = try await orders.send(client, .get, "/v1/orders/\(order.id)", as: .store, "nordhavn")
            #expect(read.headers[.eTag] == first.headers[.eTag])
            let count = try await orders.pool.query("SELECT count(*) AS n FROM orders").first?.decode("n", as: Int.self)
            #expect(count == 1)
        }
    }

    @Test("Characters are code points, as the document counts them: emoji of families are several")
    func codePoints() async throws {
        try await OrdersUnderTest.run { orders, client in
            let family = "👨‍👩‍👧‍👦"
            for (reference, status) in [
                (String(repeating: family, count: 3), HTTPResponse.Status.created),
                (String(repeating: family, count: 4), .badRequest),
            ] {
                let response = try await orders.send(
                    client, .post, "/v1/orders", as: .store, "nordhavn", try orders.body(reference: reference),
                    ["Idempotency-Key": "families-\(reference.count)"])
                #expect(response.status == status, "\(reference.unicodeScalars.count) code points")
            }
        }
    }

    @Test("The same key with another body is refused with 422")
    func keyReused() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try orders.body(), key: "one")
            let other = try orders.body(reference: "G-1043")
            let response = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", other, ["Idempotency-Key": "one"])
            #expect(response.status == .unprocessableContent)
            #expect(try response.problem().type.hasSuffix("idempotency-key-reused"))
        }
    }

    @Test("Stores with tokens of one subject number their orders alike, and a key of before is known")
    func keysByStore() async throws {
        try await OrdersUnderTest.run { orders, client in
            func place(_ reference: String, at store: String, by token: String) async throws -> TestResponse {
                var body = try orders.body(reference: reference)
                let other = body.store
                body.store = Store(
                    id: try #require(StoreID(rawValue: store)), name: other.name, location: other.location,
                    timeZone: other.timeZone)
                return try await orders.send(
                    client, .post, "/v1/orders", token: token, body, ["Idempotency-Key": "1042"])
            }
            let replayed = try #require(HTTPField.Name("Idempotent-Replayed"))
            let nordhavn = try await orders.token(.store, "shop", store: "nordhavn")
            let valby = try await orders.token(.store, "shop", store: "valby")
            #expect(try await place("A-1", at: "nordhavn", by: nordhavn).status == .created)
            #expect(try await place("A-2", at: "valby", by: valby).status == .created)
            #expect(try await place("A-3", at: "valby", by: valby).status == .unprocessableContent)
            #expect(try await place("A-2", at: "valby", by: valby).headers[replayed] == "true")

            try await orders.pool.execute(
                "UPDATE idempotency_keys SET principal = 'store shop' WHERE principal LIKE '%valby'")
            #expect(try await place("A-2", at: "valby", by: valby).headers[replayed] == "true")
            #expect(try await place("A-1", at: "nordhavn", by: nordhavn).headers[replayed] == "true")
        }
    }

    @Test("Without a key, without a token, or with a customer's token nothing is stored")
    func refusals() async throws {
        try await OrdersUnderTest.run { orders, client in
            let body = try orders.body()
            let noKey = try await orders.send(client, .post, "/v1/orders", as: .store, "nordhavn", body)
            #expect(noKey.status == .badRequest)
            let noToken = try await orders.send(
                client, .post, "/v1/orders", as: nil, "", body, ["Idempotency-Key": "k"])
            #expect(noToken.status == .unauthorized)
            let customer = try await orders.send(
                client, .post, "/v1/orders", as: .customer, "mette", body, ["Idempotency-Key": "k"])
            #expect(customer.status == .notFound)
            #expect(try await orders.outbox().isEmpty)
        }
    }

    @Test("Every violation of a body is named with its path")
    func violations() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.reference = ""
            body.deliveries[0].items[0].name = String(repeating: "x", count: 61)
            body.deliveries[0].items[0].quantity = 0
            let response = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "k"])
            #expect(response.status == .badRequest)
            let paths = try response.problem().errors?.map(\.path)
            #expect(
                paths == ["reference", "deliveries[0].items[0].name", "deliveries[0].items[0].quantity"])
        }
    }

    @Test("A stored order has its timeline, and its snapshots and intents are in the outbox")
    func published() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body(bags: 2))
            #expect(order.deliveries.count == 2 && order.status == "received")
            let rows = try await orders.pool.query("SELECT subject FROM outbox ORDER BY subject")
            let subjects = try rows.map { try $0.decode("subject", as: String.self) }
            #expect(subjects == [Subject.intents(.orders), Subject.deliveriesChanged])
            let intents = try await orders.intents()
            #expect(intents.allSatisfy { $0.customer == OrdersUnderTest.customer })
            for delivery in order.deliveries {
                #expect(try await orders.snapshots(of: delivery.id).map(\.subject) == [Subject.deliveriesChanged])
                #expect(intents.contains { $0.activity == ActivityID(delivery.id, episode: 1) })
                let timeline = try await OrderRepository.timeline(delivery.id, on: orders.pool)
                #expect(timeline.map(\.kind) == ["placed"])
            }
        }
    }

    @Test("A body over the limit is refused with 413")
    func tooLarge() async throws {
        try await OrdersUnderTest.run { orders, client in
            let response = try await client.execute(
                uri: "/v1/orders", method: .post,
                headers: [
                    .authorization: "Bearer \(try await orders.token(.store, "nordhavn"))",
                    try #require(HTTPField.Name("Idempotency-Key")): "k",
                ], body: ByteBuffer(repeating: UInt8(ascii: " "), count: 300_000))
            #expect(response.status == .contentTooLarge)
        }
    }
}
