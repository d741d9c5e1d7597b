import DomainTime
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

@Suite("Numbers that operators call", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ReadContactsTests {
    private static func place(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws -> DeliveryID {
        var body = try orders.body()
        body.recipient = Recipient(name: "Mette Holm", phone: "+45 20 12 34 56")
        let id = try await orders.place(client, body).deliveries[0].id
        try await orders.assign("mira", id, client)
        return id
    }

    private static func read(
        _ id: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, query: String = "",
        as subject: String = "ada", scope: String? = "dispatcher"
    ) async throws -> TestResponse {
        let token = try await orders.token(.operator, subject, scope: scope)
        return try await orders.send(client, .get, "/v1/contacts?ids=\(id)\(query)", token: token)
    }

    private static func accesses(
        _ id: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, as role: Role = .operator,
        subject: String = "ada"
    ) async throws -> [String] {
        let timeline: TimelineBody = try await orders.send(
            client, .get, "/v1/deliveries/\(id)/timeline", as: role, subject
        ).decode()
        return timeline.entries.filter { $0.kind == "contact" }.map { "\($0.by) \($0.what)" }
    }

    @Test("A dispatcher reads both numbers as links, a viewer and everybody else none")
    func numbers() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.place(orders, client)
            let answer = try await Self.read(id, orders, client)
            let contacts = try answer.decode(ContactsBody.self).contacts
            #expect(contacts.map(\.delivery) == [id])
            #expect(
                contacts.first?.customer == .init(name: "Mette Holm", phone: "+45 20 12 34 56", url: "tel:+4520123456"))
            #expect(contacts.first?.courier == .init(name: "Mira", phone: "+4512345678", url: "tel:+4512345678"))
            #expect(answer.headers[.cacheControl]?.contains("no-store") == true)
            #expect(try await Self.read(id, orders, client, scope: "viewer").status == .forbidden)
            let refusals: [(Role, String, HTTPResponse.Status)] = [
                (.customer, "mette", .notFound), (.courier, "mira", .notFound), (.store, "nordhavn", .forbidden),
            ]
            for (role, subject, status) in refusals {
                let refused = try await orders.send(client, .get, "/v1/contacts?ids=\(id)", as: role, subject)
                #expect(refused.status == status, "\(role)")
            }
            #expect(try await Self.read(id, orders, client, query: "&of=porter").status == .badRequest)
            let missing = try await orders.send(client, .get, "/v1/contacts", as: .operator, "ada")
            #expect(missing.status == .badRequest)
        }
    }

    @Test("During a hand-over between couriers the carrier's number is given too, and no more once it is fetched")
    func carrier() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.place(orders, client)
            try await orders.set([.accepted, .picking, .staged, .pickedUp], id, client)
            try await orders.assign("finn", id, client)
            let given = try await Self.read(id, orders, client, query: "&of=carrier").decode(ContactsBody.self)
            let mira = ContactsBody.Person(name: "Mira", phone: "+4512345678", url: "tel:+4512345678")
            #expect(given.contacts == [.init(delivery: id, customer: nil, courier: nil, carrier: mira)])
            #expect(try await Self.accesses(id, orders, client) == ["operator ada saw the carrier's number"])
            let all = try await Self.read(id, orders, client).decode(ContactsBody.self).contacts.first
            #expect(all?.carrier == mira && all?.courier?.name == "Finn")
            try await orders.set(.pickedUp, id, client)
            let fetched = try await Self.read(id, orders, client).decode(ContactsBody.self).contacts.first
            #expect(fetched?.carrier == nil && fetched?.courier?.name == "Finn")
        }
    }

    @Test("Who read which number is in the timeline, once for each person and half an hour")
    func recorded() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.place(orders, client)
            for _ in 0..<3 { _ = try await Self.read(id, orders, client, query: "&of=courier") }
            #expect(try await Self.accesses(id, orders, client) == ["operator ada saw the courier's number"])
            async let one = Self.read(id, orders, client, as: "bo")
            async let other = Self.read(id, orders, client, as: "bo")
            let statuses = try await [one.status, other.status]
            #expect(statuses == [.ok, .ok])
            #expect(
                try await Set(Self.accesses(id, orders, client)) == [
                    "operator ada saw the courier's number", "operator bo saw the courier's number",
                    "operator bo saw the customer's number",
                ])
            #expect(try await Self.accesses(id, orders, client).count == 3)
            orders.clock.advance(by: 1_799)
            _ = try await Self.read(id, orders, client, query: "&of=courier")
            #expect(try await Self.accesses(id, orders, client).count == 3)
            orders.clock.advance(by: 2)
            _ = try await Self.read(id, orders, client, query: "&of=courier")
            #expect(try await Self.accesses(id, orders, client).count == 4)
            #expect(try await Self.accesses(id, orders, client, as: .customer, subject: "mette").isEmpty)
            #expect(try await Self.accesses(id, orders, client, as: .courier, subject: "mira").isEmpty)
            let delivery = try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .operator, "ada").decode(
                DeliveryBody.self)
            #expect(delivery.version == 2, "reading changes nothing")
        }
    }
}
