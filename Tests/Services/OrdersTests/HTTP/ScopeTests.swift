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

@testable import Orders

@Suite("Scopes of tokens", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ScopeTests {
    @Test("A customer's token for one delivery shows and presses that one alone")
    func delivery() async throws {
        try await OrdersUnderTest.run { orders, client in
            let bags = try await orders.place(client, try orders.body(bags: 2)).deliveries.map(\.id)
            let token = try await orders.token(.customer, "mette", delivery: bags[0].rawValue)
            func get(_ path: String) async throws -> TestResponse {
                try await orders.send(client, .get, path, token: token)
            }
            #expect(try await get("/v1/deliveries/\(bags[0])").status == .ok)
            #expect(try await get("/v1/deliveries/\(bags[1])").status == .notFound)
            #expect(try await get("/v1/deliveries/\(bags[1])/timeline").status == .notFound)
            let board: BoardBody = try await get("/v1/deliveries").decode()
            #expect(board.deliveries.map(\.id) == [bags[0]] && board.counts.live == 1)

            let press = try await orders.send(
                client, .post, try await orders.link("cancel", of: bags[1], client), token: token)
            #expect(press.status == .notFound)
        }
    }

    @Test("A token of one store shows nothing of another store, and one with a malformed scope shows nothing")
    func store() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            func status(_ token: String) async throws -> HTTPResponse.Status {
                try await orders.send(client, .get, "/v1/deliveries/\(delivery)", token: token).status
            }
            let own = try await status(orders.token(.customer, "mette", store: "nordhavn"))
            #expect(own == .ok)
            #expect(try await status(orders.token(.customer, "mette", store: "elsewhere")) == .notFound)
            #expect(try await status(orders.token(.customer, "mette", delivery: "no id")) == .unauthorized)
        }
    }

    @Test("A store's description of a courier does not change what other stores' customers see")
    func couriers() async throws {
        try await OrdersUnderTest.run { orders, client in
            let deliveries = try await orders.place(client, try orders.body(bags: 2)).deliveries.map(\.id)
            try await orders.assign("mira", deliveries[0], client)
            let token = try await orders.token(.store, "nordhavn", store: "nordhavn")
            let id = try #require(CourierID(rawValue: "mira"))
            let claim = AssignBody(
                courier: .described(CourierBody(id: id, name: "Mira", vehicle: .bicycle, phone: "+4599999999")))
            let answer = try await orders.send(
                client, .put, "/v1/deliveries/\(deliveries[1])/courier", token: token, claim)
            #expect(answer.status == .ok)
            // The store's own delivery has its description; other deliveries get the shop's.
            let own = try #require(try await OrderRepository.delivery(deliveries[1], on: orders.pool))
            #expect(try own.delivery.courier.flatMap(OrdersUnderTest.personalData.phone) == "+4599999999")
            let elsewhere = try #require(StoreID(rawValue: "elsewhere"))
            #expect(
                try await OrderRepository.courier(id, of: elsewhere, on: orders.pool).flatMap(
                    OrdersUnderTest.personalData.phone) == "+4512345678")
        }
    }

    @Test("A courier assigned by id alone is the one that the store or the shop described, never another store's")
    func courierOfAnotherStore() async throws {
        try await OrdersUnderTest.run { orders, client in
            var valby = try orders.body()
            valby.store = Store(
                id: try #require(StoreID(rawValue: "valby")), name: "Valby", location: valby.store.location,
                timeZone: valby.store.timeZone)
            let own = try await orders.place(client, try orders.body(bags: 2)).deliveries.map(\.id)
            let other = try await orders.place(client, valby).deliveries[0].id
            func assign(_ body: String, _ delivery: DeliveryID, store: String?) async throws -> DeliveryBody {
                let token = try await orders.token(.store, "shop", store: store)
                let response = try await client.execute(
                    uri: "/v1/deliveries/\(delivery)/courier", method: .put,
                    headers: [.authorization: "Bearer \(token)", .contentType: "application/json"],
                    body: .init(string: body))
                return try response.decode()
            }
            func phone(_ delivery: DeliveryID) async throws -> String? {
                try await OrderRepository.delivery(delivery, on: orders.pool)?.delivery.courier
                    .flatMap(OrdersUnderTest.personalData.phone)
            }
            let described = #"{"courier":{"id":"mira","name":"Mira","vehicle":"bicycle","phone":"+4599999999"}}"#
            _ = try await assign(described, own[0], store: "nordhavn")
            #expect(try await assign(#"{"courier":"mira"}"#, own[1], store: "nordhavn").courier?.name == "Mira")
            #expect(try await phone(own[1]) == "+4599999999")
            // The shop's own assignment by id makes a store's description nobody else's either.
            _ = try await assign(#"{"courier":null}"#, own[1], store: nil)
            #expect(try await assign(#"{"courier":"mira"}"#, own[1], store: nil).courier?.name == "Mira")
            #expect(try await assign(#"{"courier":"mira"}"#, other, store: "valby").courier?.name == "mira")
            #expect(try await phone(other) == nil)
            // What the shop describes is every store's.
            let ofShop = #"{"courier":{"id":"noah","name":"Noah","vehicle":"car","phone":"+4588888888"}}"#
            _ = try await assign(ofShop, own[0], store: nil)
            #expect(try await assign(#"{"courier":"noah"}"#, other, store: "valby").courier?.name == "Noah")
            #expect(try await phone(other) == "+4588888888")
        }
    }

    @Test("A token of one delivery orders nothing, and what it is exchanged for is of that delivery too")
    func exchange() async throws {
        try await OrdersUnderTest.run { orders, client in
            let bags = try await orders.place(client, try orders.body(bags: 2)).deliveries.map(\.id)
            let token = try await orders.token(.store, "shop", delivery: bags[0].rawValue)
            let key = ["Idempotency-Key": "1"]
            let order = try await orders.send(client, .post, "/v1/orders", token: token, try orders.body(), key)
            #expect(order.status == .notFound)
            let customer = try #require(CustomerID(rawValue: "mette"))
            let exchanged: TokenBody = try await orders.send(
                client, .post, "/v1/tokens", token: token, IssueTokenBody(customer: customer), key
            ).decode()
            for (bag, status) in zip(bags, [HTTPResponse.Status.ok, .notFound]) {
                let answer = try await orders.send(
                    client, .get, "/v1/deliveries/\(bag)", token: exchanged.token)
                #expect(answer.status == status)
            }
        }
    }

    @Test("A customer's timeline names no operator and contains none of their reasons")
    func timeline() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            let held = try await orders.send(
                client, .put, "/v1/deliveries/\(delivery)/hold", as: .operator, "ada", HoldBody(reason: "is it fraud?"))
            #expect(held.status == .ok, "\(String(buffer: held.body))")
            let path = "/v1/deliveries/\(delivery)/timeline"
            let customers: TimelineBody = try await orders.send(client, .get, path, as: .customer, "mette").decode()
            let operators: TimelineBody = try await orders.send(client, .get, path, as: .operator, "ada").decode()
            #expect(customers.entries.map(\.what) == operators.entries.map(\.what))
            #expect(customers.entries.last?.by == "operator" && customers.entries.last?.reason == nil)
            #expect(operators.entries.last?.by == "operator ada" && operators.entries.last?.reason == "is it fraud?")
        }
    }

    @Test(
        "Text that cannot be stored or shown is refused with 400, and nothing is changed",
        arguments: [
            "\u{0}", "a\u{7}", "", String(repeating: "a", count: 201), "a" + String(repeating: "\u{301}", count: 9_999),
        ])
    func text(_ reason: String) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            let answer = try await orders.send(
                client, .put, "/v1/deliveries/\(delivery)/hold", as: .operator, "ada", HoldBody(reason: reason))
            #expect(answer.status == .badRequest)
            #expect(try answer.problem().errors?.first?.path == "reason")
            let stored = try #require(try await OrderRepository.delivery(delivery, on: orders.pool))
            #expect(stored.delivery.version == 1)
        }
    }

    @Test("A forged cursor of a list is refused with 400")
    func cursor() async throws {
        try await OrdersUnderTest.run { orders, client in
            let place =
                #"{"asOf":"2026-11-21T18:00:00Z","severity":99999999999,"promiseEnd":"2026-11-21T18:00:00Z","delivery":"a\u0000"}"#
            let cursor = Data(place.utf8).base64EncodedString()
            let answer = try await orders.send(
                client, .get, "/v1/deliveries?cursor=\(cursor.replacing("=", with: "%3D").replacing("+", with: "%2B"))",
                as: .operator, "ada")
            #expect(answer.status == .badRequest)
        }
    }
}
