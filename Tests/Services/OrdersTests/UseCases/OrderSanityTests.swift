import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OpenAPITesting
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Mistakes in an order", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct OrderSanityTests {
    private static let sydney = Coordinate(clampingLatitude: -33.8688, longitude: 151.2093)

    private func refused(
        _ body: PlaceOrderBody, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> ProblemDocument {
        let response = try await orders.send(
            client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": UUID().uuidString])
        #expect(response.status == .badRequest)
        return try response.problem()
    }

    @Test("Seven mistakes are seven errors, each with its place, and with what is allowed where that is little")
    func seven() async throws {
        try await OrdersUnderTest.run { orders, client in
            let response = try await client.execute(
                uri: "/v1/orders", method: .post,
                headers: [
                    .authorization: "Bearer \(try await orders.token(.store, "nordhavn"))",
                    try #require(HTTPField.Name("Idempotency-Key")): "k", .contentType: "text/plain",
                ],
                body: ByteBuffer(
                    string: """
                        {"reference": "", "customer": "not an id",
                         "store": {"id": "nordhavn", "name": "Nordhavn", "timeZone": "Copenhagen",
                                   "location": {"latitude": 55.7, "longitude": 12.6}},
                         "promise": {"start": "2020-11-21T18:00:00Z", "end": "2020-11-21T19:00:00Z"},
                         "door": {"latitude": 12.6, "longitude": 55.7}, "doorbell": "Holm",
                         "deliveries": [{"items": [{"id": "milk", "name": "Milk", "ifUnavailable": "call"}]}]}
                        """))
            #expect(response.status == .badRequest)
            let problem = try response.problem()
            #expect(problem.detail == "7 places are wrong")
            let errors = try #require(problem.errors)
            #expect(
                errors.map(\.path) == [
                    "customer", "deliveries[0].items[0].ifUnavailable", "doorbell", "reference", "store.timeZone",
                    "door", "promise.end",
                ])
            #expect(errors[1].allowed == ["best_match", "ask", "refund", "cancel_order"])
            let known = try #require(errors[2].allowed)
            #expect(try Self.documentedProperties() == [known, known])
            #expect(errors[5].message.contains("swapped"))
            #expect(try await orders.outbox().isEmpty)
        }
    }

    /// The known properties of an order, as the examples of the OpenAPI document and of docs/problems.md have them.
    private static func documentedProperties() throws -> [[String]] {
        let responses = try OpenAPIDocument(yaml: PackageResources.openapi_yaml).root["components"]?["responses"]
        let example = responses?["OrderMalformed"]?["content"]?["application/problem+json"]?["example"]
        let error = example?["errors"]?.elements.first { $0["path"]?.string == "doorbell" }
        let file = URL(filePath: #filePath).appending(path: "../../../../../docs/problems.md").standardized
        let page = try String(contentsOf: file, encoding: .utf8)
        let match = page.firstMatch(of: /"path": "doorbell".*"allowed": (\[.*\])/)
        let list = try #require(match?.1)
        return [
            try #require(error?["allowed"]).elements.compactMap(\.string),
            try JSONDecoder().decode([String].self, from: Data(list.utf8)),
        ]
    }

    @Test("A door beyond the store's reach is refused; swapped coordinates, of door or store, with a hint")
    func reach() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            let door = body.door
            body.door = Self.sydney
            var problem = try await refused(body, orders, client)
            #expect(problem.errors?.map(\.path) == ["door"])
            #expect(problem.detail?.contains("at most 100 km") == true)
            body.door = Coordinate(clampingLatitude: door.longitude, longitude: door.latitude)
            problem = try await refused(body, orders, client)
            #expect(problem.errors?.map(\.path) == ["door"] && problem.detail?.contains("swapped") == true)
            body.door = door
            body.store = Store(
                id: body.store.id, name: body.store.name,
                location: Coordinate(
                    clampingLatitude: body.store.location.longitude, longitude: body.store.location.latitude),
                timeZone: body.store.timeZone)
            problem = try await refused(body, orders, client)
            #expect(problem.errors?.map(\.path) == ["door"] && problem.detail?.contains("swapped") == true)
        }
    }

    @Test("A store's contact is a number that can be called, a page over TLS, or both")
    func storeContact() async throws {
        try await OrdersUnderTest.run { orders, client in
            let cases: [(StoreContact, [String])] = [
                (StoreContact(), ["store.contact"]), (StoreContact(phone: "call us"), ["store.contact.phone"]),
                (
                    StoreContact(phone: "", url: "http://nordhavn.example"),
                    ["store.contact.phone", "store.contact.url"]
                ),
                (StoreContact(url: "javascript:alert(1)"), ["store.contact.url"]),
                (StoreContact(url: "https://"), ["store.contact.url"]),
            ]
            for (contact, paths) in cases {
                let problem = try await refused(try orders.body(contact: contact), orders, client)
                #expect(problem.errors?.map(\.path) == paths, "\(contact)")
            }
            let placed = try await orders.place(
                client, try orders.body(contact: StoreContact(phone: "+45 33 12 34 56", url: "https://a.example/help")))
            #expect(placed.store.contact?.phone == "+45 33 12 34 56")
            #expect(placed.deliveries[0].store.contact?.url == "https://a.example/help")
        }
    }

    @Test("How far a store reaches is the installation's to set")
    func reachSetting() async throws {
        try await OrdersUnderTest.run(limits: OrderLimits(reachMetresMax: 100)) { orders, client in
            let problem = try await refused(try orders.body(), orders, client)
            #expect(problem.errors?.map(\.path) == ["door"])
        }
    }

    @Test("A promise is refused when it ended before the grace or ends years ahead, of an order and of a delivery")
    func promise() async throws {
        try await OrdersUnderTest.run { orders, client in
            func promise(endingIn seconds: Double) throws -> Promise {
                let end = OrdersUnderTest.start.addingTimeInterval(seconds)
                return try #require(Promise(start: end.addingTimeInterval(-600), end: end))
            }
            var body = try orders.body()
            body.promise = try promise(endingIn: -7_201)
            body.deliveries[0].promise = try promise(endingIn: 367 * 86_400)
            let problem = try await refused(body, orders, client)
            #expect(problem.errors?.map(\.path) == ["promise.end", "deliveries[0].promise.end"])
            body.deliveries[0].promise = nil
            body.promise = try promise(endingIn: -7_199)
            let id = try await orders.place(client, body).deliveries[0].id
            let moved = try promise(endingIn: -7_201)
            let response = try await orders.send(
                client, .put, "/v1/deliveries/\(id)/promise", as: .store, "nordhavn",
                PromiseBody(start: moved.start, end: moved.end))
            #expect(try response.problem().errors?.map(\.path) == ["end"])
        }
    }

    @Test("A delivery gets no window that has passed, but for its first one, which an undo brings back to the second")
    func passedPromise() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            let end = OrdersUnderTest.start.addingTimeInterval(60.25)
            body.promise = try #require(Promise(start: end.addingTimeInterval(-600), end: end))
            body.deliveries[0].promise = nil
            let id = try await orders.place(client, body).deliveries[0].id
            func move(_ start: Double, _ end: Double, query: String = "") async throws -> TestResponse {
                try await orders.send(
                    client, .put, "/v1/deliveries/\(id)/promise\(query)", as: .store, "nordhavn",
                    PromiseBody(
                        start: OrdersUnderTest.start.addingTimeInterval(start),
                        end: OrdersUnderTest.start.addingTimeInterval(end)))
            }
            orders.clock.advance(by: 300)
            #expect(try await move(0, 900).status == .ok)
            for query in ["", "?preview=true"] {
                let passed = try await move(0, 300, query: query)
                #expect(passed.status == .badRequest)
                #expect(try passed.problem().errors?.map(\.path) == ["end"])
            }
            // The first one, in whole seconds, as the desk takes a move back.
            let undone = try await move(-540, 60)
            #expect(undone.status == .ok)
            let delivery: DeliveryBody = try undone.decode()
            #expect(delivery.promise == delivery.originalPromise && delivery.promise.end == end)
            #expect(!delivery.flags.contains(.rescheduled))
            #expect(try await move(-540, 60).status == .ok, "the present one")
        }
    }

    @Test(
        "A promise that starts more than 366 days before its end is refused at its start, wherever it is given",
        arguments: ["1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z"])
    func earlyStart(text: String) async throws {
        let start = try #require(WireJSON.date(from: text))
        try await OrdersUnderTest.run { orders, client in
            let end = OrdersUnderTest.start.addingTimeInterval(7_200)
            var body = try orders.body()
            let id = try await orders.place(client, body).deliveries[0].id
            body.promise = try #require(Promise(start: start, end: end))
            body.deliveries[0].promise = body.promise
            let problem = try await refused(body, orders, client)
            #expect(problem.errors?.map(\.path) == ["promise.start", "deliveries[0].promise.start"])
            let response = try await orders.send(
                client, .put, "/v1/deliveries/\(id)/promise", as: .store, "nordhavn",
                PromiseBody(start: start, end: end))
            #expect(response.status == .badRequest)
            #expect(try response.problem().errors?.map(\.path) == ["start"])
        }
    }

    @Test("A repeat of an order whose promise has passed meanwhile gets the first response")
    func lateRepeat() async throws {
        try await OrdersUnderTest.run { orders, client in
            let body = try orders.body()
            let first = try await orders.place(client, body, key: "one")
            orders.clock.advance(by: 86_400)
            #expect(try await orders.place(client, body, key: "one").id == first.id)
            let other = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "two"])
            #expect(try other.problem().errors?.map(\.path) == ["promise.end"])
        }
    }

    @Test("A retry whose promise has passed is a conflict while the first attempt is stored, and a mistake after that")
    func retryInFlight() async throws {
        try await OrdersUnderTest.run { orders, client in
            var passed = try orders.body()
            let end = OrdersUnderTest.start.addingTimeInterval(-7_201)
            passed.promise = try #require(Promise(start: end.addingTimeInterval(-600), end: end))
            let body = passed
            let first = IdempotentRequest(
                principal: Principal(.store("nordhavn")), route: "POST /v1/orders", key: "one",
                body: try WireJSON.encode(body))
            let during = try await orders.pool.withTransaction { transaction in
                _ = try await IdempotencyKeys.begin(first, in: transaction)
                return try await orders.send(
                    client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "one"])
            }
            #expect(during.status == .conflict)
            #expect(try during.problem().type.hasSuffix("/idempotency-key-in-use"))
            let after = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "one"])
            #expect(after.status == .badRequest)
            #expect(try after.problem().errors?.map(\.path) == ["promise.end"])
        }
    }

    @Test("A reference stands for one live order of a store; another store, or an ended order, leaves it free")
    func reference() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            let first = try await orders.place(client, body)
            body.customer = try #require(CustomerID(rawValue: "niels"))
            let response = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "two"])
            #expect(response.status == .conflict)
            let problem = try response.problem()
            #expect(problem.type.hasSuffix("/reference-in-use") && problem.order == first.id)
            var elsewhere = body
            elsewhere.store = Store(
                id: try #require(StoreID(rawValue: "valby")), name: "Valby", location: body.store.location,
                timeZone: body.store.timeZone)
            _ = try await orders.place(client, elsewhere)
            try await orders.set(.cancelled, first.deliveries[0].id, client)
            _ = try await orders.place(client, body)
        }
    }

    @Test("An item that is named twice is refused, in a new order and among items that are added")
    func repeatedItem() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            let id = try await orders.place(client, body).deliveries[0].id
            body.deliveries[0].items.append(body.deliveries[0].items[0])
            #expect(try await refused(body, orders, client).errors?.map(\.path) == ["deliveries[0].items"])
            let butter = PlaceOrderBody.Line(id: try #require(ItemID(rawValue: "butter")), name: "Butter")
            let added = try await orders.send(
                client, .post, "/v1/deliveries/\(id)/items", as: .store, "nordhavn",
                AddItemsBody(items: [butter, butter]))
            #expect(added.status == .badRequest)
            #expect(try added.problem().errors?.map(\.path) == ["items"])
        }
    }

    @Test("White space around a reference is not stored and makes it no other one; white space alone is no reference")
    func paddedReference() async throws {
        try await OrdersUnderTest.run { orders, client in
            let first = try await orders.place(client, try orders.body(reference: "  1042 "))
            #expect(first.reference == "1042" && first.deliveries[0].reference == "1042")
            let stored: OrderBody =
                try await orders.send(client, .get, "/v1/orders/\(first.id)", as: .store, "nordhavn").decode()
            #expect(stored.reference == "1042")
            let second = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", try orders.body(reference: "1042"),
                ["Idempotency-Key": "two"])
            #expect(second.status == .conflict)
            let problem = try second.problem()
            #expect(problem.type.hasSuffix("/reference-in-use") && problem.order == first.id)
            let empty = try await refused(try orders.body(reference: "  "), orders, client)
            #expect(empty.errors?.map(\.path) == ["reference"])
        }
    }

    @Test("White space around a barcode is not stored, and white space alone is no barcode")
    func paddedBarcode() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.deliveries[0].barcode = "  "
            let empty = try await refused(body, orders, client)
            #expect(empty.errors?.map(\.path) == ["deliveries[0].barcode"])
            body.deliveries[0].barcode = " NH-1042-1 "
            let id = try await orders.place(client, body).deliveries[0].id
            let stored = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
            #expect(stored.proof?.barcode == "NH-1042-1")
        }
    }

    @Test("Of two orders with one reference at the same moment one is placed")
    func concurrentReference() async throws {
        try await OrdersUnderTest.run { orders, client in
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 0..<4 {
                    let body = try orders.body(customer: "customer-\(number)")
                    group.addTask {
                        try await orders.send(
                            client, .post, "/v1/orders", as: .store, "nordhavn", body,
                            ["Idempotency-Key": "key-\(number)"]
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .created } == 1 && statuses.count { $0 == .conflict } == 3)
        }
    }
}
