import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Address, recipient and note", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct DropOffTests {
    private static let recipient = Recipient(name: "Marker Holm", phone: "+45 20 12 34 56")
    private static let address = Address(
        street: "Markergade 40", floor: "3. tv", postalCode: "2200", city: "København N", doorCode: "marker-4711")
    private static let note = "Marker: the bell is broken"

    private func place(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws -> OrderBody {
        var body = try orders.body(bags: 2)
        body.recipient = Self.recipient
        body.address = Self.address
        body.note = Self.note
        return try await orders.place(client, body)
    }

    private func show(
        _ body: DeliveryBody, _ isShown: Bool, _ reader: String, hasPhone: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let recipient = hasPhone ? Self.recipient : Recipient(name: Self.recipient.name)
        #expect(body.recipient == (isShown ? recipient : nil), "\(reader)", sourceLocation: sourceLocation)
        #expect(body.address == (isShown ? Self.address : nil), "\(reader)", sourceLocation: sourceLocation)
        #expect(body.note == (isShown ? Self.note : nil), "\(reader)", sourceLocation: sourceLocation)
    }

    @Test(
        "Its customer, its store and operators read them, its courier until the end or another courier",
        arguments: StoredForm.allCases)
    func readers(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let order = try await place(orders, client)
            order.deliveries.forEach { show($0, true, "the answer to the order") }
            let id = order.deliveries[0].id
            func read(_ role: Role, _ subject: String) async throws -> DeliveryBody {
                try await orders.send(client, .get, "/v1/deliveries/\(id)", as: role, subject).decode()
            }
            for reader in [(Role.customer, "mette"), (.store, "nordhavn"), (.operator, "ada")] {
                show(try await read(reader.0, reader.1), true, "\(reader)", hasPhone: reader.0 != .operator)
            }
            try await orders.assign("jonas", id, client)
            show(try await read(.courier, "jonas"), true, "the courier")
            try await orders.assign("mira", id, client)
            let former = try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .courier, "jonas")
            #expect(former.status == .notFound && !String(buffer: former.body).contains("Marker"))
            try await orders.set([.accepted, .picking, .pickedUp], id, client)
            show(try await read(.courier, "mira"), true, "the courier on the way")
            try await orders.set(.delivered, id, client)
            show(try await read(.courier, "mira"), false, "the courier after the end")
            show(try await read(.customer, "mette"), true, "the customer after the end")
            show(try await read(.store, "nordhavn"), true, "the store after the end")
        }
    }

    @Test(
        "Only who may change a delivery reads the door code, and operators read no number with it",
        arguments: StoredForm.allCases)
    func viewers(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let order = try await place(orders, client)
            for (scope, code) in [("viewer", String?.none), ("dispatcher", Self.address.doorCode)] {
                let token = try await orders.token(.operator, "ada", scope: scope)
                for path in ["/v1/deliveries/\(order.deliveries[0].id)", "/v1/orders/\(order.id)", "/v1/orders"] {
                    let answer = try await orders.send(client, .get, path, token: token)
                    let text = String(buffer: answer.body)
                    #expect(answer.status == .ok && !text.contains("20 12 34 56"), "\(scope) at \(path)")
                    if path.contains("deliveries") { #expect(text.contains("marker-4711") == (code != nil)) }
                }
            }
        }
    }

    @Test(
        "The stored answer to an idempotency key has none of them, and a repeat is answered with all of them",
        arguments: StoredForm.allCases)
    func storedAnswer(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            var body = try orders.body(bags: 2)
            body.recipient = Self.recipient
            body.address = Self.address
            body.note = Self.note
            let answers = [
                try await orders.send(client, .post, "/v1/orders", as: .store, "a", body, ["Idempotency-Key": "one"]),
                try await orders.send(client, .post, "/v1/orders", as: .store, "a", body, ["Idempotency-Key": "one"]),
            ]
            #expect(answers[0].body == answers[1].body)
            let order: OrderBody = try answers[1].decode()
            #expect(order.deliveries.count == 2)
            order.deliveries.forEach { show($0, true, "the answer to a repeat") }
            let stored = try await orders.pool.query(
                """
                SELECT count(*) FILTER (WHERE convert_from(body, 'UTF8') ILIKE '%marker%') AS marked, count(*) AS stored
                FROM idempotency_keys
                """)[0]
            #expect(try stored.decode("stored", as: Int.self) == 1)
            #expect(try stored.decode("marked", as: Int.self) == 0)
        }
    }

    @Test(
        "An operator who places an order, or repeats it, reads no number of its recipient",
        arguments: StoredForm.allCases)
    func operators(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            var body = try orders.body()
            body.recipient = Self.recipient
            body.address = Self.address
            body.note = Self.note
            for attempt in ["the first answer", "the answer to a repeat"] {
                let order: OrderBody = try await orders.send(
                    client, .post, "/v1/orders", as: .operator, "ada", body, ["Idempotency-Key": "one"]
                ).decode()
                order.deliveries.forEach { show($0, true, attempt, hasPhone: false) }
            }
        }
    }

    @Test("A repeat is answered with the present door, and the stored answer has none", arguments: StoredForm.allCases)
    func storedDoor(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let body = try orders.body(bags: 2)
            let order = try await orders.place(client, body, key: "one")
            let next = Coordinate(clampingLatitude: 55.6761, longitude: 12.5683)
            let corrected = try await orders.send(
                client, .patch, "/v1/deliveries/\(order.deliveries[0].id)/drop-off", as: .store, "nordhavn",
                DropOffBody(door: next))
            #expect(corrected.status == .ok)
            let repeated = try await orders.place(client, body, key: "one")
            #expect(repeated.deliveries.map(\.door) == [next, body.door])
            let stored = try await orders.pool.query(
                """
                SELECT count(*) FILTER (WHERE convert_from(body, 'UTF8') LIKE '%"door"%') AS located, count(*) AS stored
                FROM idempotency_keys
                """)[0]
            #expect(try stored.decode("stored", as: Int.self) == 1)
            #expect(try stored.decode("located", as: Int.self) == 0)
        }
    }

    @Test(
        "A token of another store, another customer and a link without its customer's token learn nothing of them",
        arguments: StoredForm.allCases)
    func others(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let order = try await place(orders, client)
            let paths = ["/v1/orders/\(order.id)", "/v1/deliveries/\(order.deliveries[0].id)", "/v1/deliveries"]
            for path in paths {
                let tokens = [
                    try await orders.token(.store, "valby", store: "valby"), try await orders.token(.customer, "niels"),
                ]
                for token in tokens {
                    let answer = try await orders.send(client, .get, path, token: token)
                    #expect(!String(buffer: answer.body).lowercased().contains("marker"), "\(path)")
                }
            }
            let seen: DeliveryBody = try await orders.send(
                client, .get, "/v1/deliveries/\(order.deliveries[0].id)", as: .customer, "mette"
            ).decode()
            for link in seen.links {
                let path = OrdersUnderTest.path(of: link.url)
                let page = try await orders.send(client, .get, path, as: nil)
                #expect(page.status == .ok && !String(buffer: page.body).lowercased().contains("marker"))
            }
        }
    }

    @Test("They are in no message, no timeline and no log line", arguments: StoredForm.allCases)
    func kept(form: StoredForm) async throws {
        let log = LogLines()
        try await OrdersUnderTest.run(personalData: try form.box, logger: log.logger) { orders, client in
            let order = try await place(orders, client)
            try await orders.set(.accepted, order.deliveries[0].id, client)
            let messages = try await orders.outbox()
            #expect(messages.count >= 4)
            for message in messages {
                #expect(!String(decoding: message.payload, as: UTF8.self).lowercased().contains("marker"))
            }
            let rows = try await orders.pool.query(
                "SELECT snapshot::text AS text FROM deliveries UNION ALL SELECT what FROM timeline")
            for row in rows { #expect(try !row.decode("text", as: String.self).lowercased().contains("marker")) }
            #expect(!log.all.isEmpty && !log.all.contains { $0.lowercased().contains("marker") })
        }
    }

    @Test("They are deleted 30 days of domain time after the end, and not before", arguments: StoredForm.allCases)
    func retention(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let id = try await place(orders, client).deliveries[0].id
            try await orders.set(.cancelled, id, client)
            func address() async throws -> Address? {
                let body: DeliveryBody =
                    try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .store, "nordhavn").decode()
                return body.address
            }
            let end = OrdersUnderTest.start
            try await ExpiredRows.delete(on: orders.pool, at: end.addingTimeInterval(30 * 86_400 - 1))
            #expect(try await address() == Self.address)
            try await ExpiredRows.delete(on: orders.pool, at: end.addingTimeInterval(30 * 86_400 + 1))
            #expect(try await address() == nil)
            // The other bag of the order has not ended.
            let kept = try await orders.pool.query("SELECT count(*) AS n FROM deliveries WHERE drop_off IS NOT NULL")
            #expect(try kept.first?.decode("n", as: Int.self) == 1)
        }
    }

    @Test("Text that cannot be shown, or is too long, is refused with its place")
    func texts() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.recipient = Recipient(name: String(repeating: "x", count: 61), phone: "")
            body.address = Address(
                street: "a\u{1B}[2J", floor: String(repeating: "x", count: 41), postalCode: "", city: "\u{0}",
                doorCode: String(repeating: "1", count: 25))
            body.note = String(repeating: "x", count: 281)
            let response = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "k"])
            #expect(
                try response.problem().errors?.map(\.path) == [
                    "recipient.name", "recipient.phone", "address.street", "address.floor", "address.postalCode",
                    "address.city", "address.doorCode", "note",
                ])
        }
    }
}
