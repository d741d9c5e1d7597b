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
import WireCoding

@testable import Orders

@Suite("Listing orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ListOrdersTests {
    private static func page(
        _ query: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, token: String? = nil
    ) async throws -> OrdersBody {
        var token = token
        if token == nil { token = try await orders.token(.operator, "ada") }
        let answer = try await orders.send(client, .get, "/v1/orders?\(query)", token: token)
        #expect(answer.status == .ok, "\(String(buffer: answer.body))")
        return try answer.decode()
    }

    /// Every order of a query, page by page, and the `changedUntil` of the first page.
    private static func all(
        _ query: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol,
        between: () async throws -> Void = {}
    ) async throws -> (references: [String], changedUntil: Date) {
        var references: [String] = []
        var changedUntil: Date?
        var cursor = ""
        while true {
            let page = try await page("\(query)&limit=2\(cursor)", orders, client)
            references += page.orders.map(\.reference)
            changedUntil = changedUntil ?? page.changedUntil
            guard let next = page.next else { return (references, changedUntil ?? page.changedUntil) }
            cursor = "&cursor=\(next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            try await between()
        }
    }

    @Test("A reader that asks with changedUntil gets every change, of orders that change while it reads too")
    func changes() async throws {
        try await OrdersUnderTest.run { orders, client in
            var ids: [DeliveryID] = []
            for number in 1...5 {
                orders.clock.advance(by: 0.001_5)
                ids.append(
                    try await orders.place(client, try orders.body(reference: "G-\(number)")).deliveries[0].id)
            }
            orders.clock.advance(by: 60)
            let first = ids[0]
            var hasChanged = false
            let whole = try await Self.all("changedSince=2026-01-01T00:00:00Z", orders, client) {
                if !hasChanged { try await orders.set(.accepted, first, client) }
                hasChanged = true
            }
            #expect(whole.references == ["G-1", "G-2", "G-3", "G-4", "G-5", "G-1"])

            orders.clock.advance(by: 60)
            let since = "changedSince=\(WireJSON.text(of: whole.changedUntil))"
            #expect(try await Self.all(since, orders, client).references == ["G-1"])
            orders.clock.advance(by: 60)
            try await orders.set(.accepted, ids[3], client)
            let next = try await Self.all(since, orders, client)
            #expect(next.references == ["G-1", "G-4"])
            #expect(next.changedUntil > whole.changedUntil)
        }
    }

    @Test("A change that is stored while a slow reader turns pages comes with the next reading")
    func slowReading() async throws {
        try await OrdersUnderTest.run { orders, client in
            for number in 1...3 {
                orders.clock.advance(by: 1)
                _ = try await orders.place(client, try orders.body(reference: "G-\(number)"))
            }
            let read = orders.clock.now
            let whole = try await Self.all("changedSince=2026-01-01T00:00:00Z", orders, client) {
                orders.clock.advance(by: 60)
            }
            #expect(whole.references == ["G-1", "G-2", "G-3"])
            #expect(whole.changedUntil <= read, "a change of the reading's time may be stored after it")
        }
    }

    @Test("Without changedSince the newest change comes first")
    func newest() async throws {
        try await OrdersUnderTest.run { orders, client in
            var ids: [DeliveryID] = []
            for number in 1...3 {
                orders.clock.advance(by: 1)
                ids.append(
                    try await orders.place(client, try orders.body(reference: "G-\(number)")).deliveries[0].id)
            }
            orders.clock.advance(by: 1)
            try await orders.set(.accepted, ids[0], client)
            #expect(try await Self.all("", orders, client).references == ["G-1", "G-3", "G-2"])
        }
    }

    @Test("An order is found by its reference, its customer and the ids of its deliveries")
    func search() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body(bags: 2, reference: "G-7"))
            _ = try await orders.place(client, try orders.body(customer: "ole", reference: "G-8"))
            for text in ["g-7", "mette", String(order.deliveries[1].id.rawValue.prefix(8)), order.id.rawValue] {
                let found = try await Self.page("search=\(text)", orders, client).orders
                #expect(found.map(\.id) == [order.id], "\(text)")
                #expect(found.first?.deliveries.count == 2)
            }
        }
    }

    @Test("A token lists what it may see: the customer's own, the store's own, and of one delivery that alone")
    func scopes() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body(bags: 2, reference: "G-1"))
            _ = try await orders.place(client, try orders.body(customer: "ole", reference: "G-2"))
            func references(_ token: String) async throws -> [String] {
                try await Self.page("", orders, client, token: token).orders.map(\.reference).sorted()
            }
            #expect(try await references(orders.token(.customer, "mette")) == ["G-1"])
            #expect(try await references(orders.token(.store, "shop")) == ["G-1", "G-2"])
            #expect(try await references(orders.token(.store, "shop", store: "nordhavn")) == ["G-1", "G-2"])
            #expect(try await references(orders.token(.store, "shop", store: "valby")) == [])
            #expect(try await references(orders.token(.customer, "mette", store: "valby")) == [])
            #expect(try await references(orders.token(.operator, "ada", store: "valby")) == [])
            for role in [Role.store, .operator] {
                let valby = try await orders.token(role, "shop", store: "valby")
                let asked = try await Self.page("store=nordhavn", orders, client, token: valby)
                #expect(asked.orders.isEmpty, "the store that a query names widens no token")
            }
            let one = try await orders.token(.customer, "mette", delivery: order.deliveries[1].id.rawValue)
            let listed = try await Self.page("", orders, client, token: one).orders
            #expect(listed.flatMap { $0.deliveries.map(\.id) } == [order.deliveries[1].id])
            let foreign = try await orders.token(.customer, "ole", delivery: order.deliveries[1].id.rawValue)
            #expect(try await references(foreign) == [])
        }
    }

    @Test("A time that is none is refused with what it should be")
    func malformed() async throws {
        try await OrdersUnderTest.run { orders, client in
            let answer = try await orders.send(
                client, .get, "/v1/orders?changedSince=yesterday", as: .operator, "ada")
            #expect(answer.status == .badRequest)
            #expect(try answer.problem().errors?.map(\.path) == ["query changedSince"])
        }
    }

    @Test("A filter that there is not is refused, rather than answered with every order")
    func unknownFilter() async throws {
        try await OrdersUnderTest.run { orders, client in
            let answer = try await orders.send(client, .get, "/v1/orders?reference=G-1", as: .store, "shop")
            #expect(answer.status == .badRequest)
            #expect(try answer.problem().errors?.map(\.path) == ["query reference"])
        }
    }
}
