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

@Suite("The board of one customer or order", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct BoardFilterTests {
    private static func board(
        _ query: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, as role: Role = .operator,
        _ subject: String = "ada"
    ) async throws -> BoardBody {
        let answer = try await orders.send(client, .get, "/v1/deliveries?\(query)", as: role, subject)
        #expect(answer.status == .ok, "\(String(buffer: answer.body))")
        return try answer.decode()
    }

    private static func references(
        _ query: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, as role: Role = .operator,
        _ subject: String = "ada"
    ) async throws -> [String] {
        try await board(query, orders, client, as: role, subject).deliveries.map(\.reference).sorted()
    }

    @Test("A customer's are their live ones with counts, a reference's whatever has ended, in any case")
    func filters() async throws {
        try await OrdersUnderTest.run { orders, client in
            for (customer, reference) in [("mette", "G-1"), ("mette", "G-2"), ("ole", "G-10")] {
                _ = try await orders.place(client, try orders.body(customer: customer, reference: reference))
            }
            let second = try await Self.board("reference=g-2", orders, client).deliveries
            #expect(second.map(\.reference) == ["G-2"])
            try await orders.set(.cancelled, try #require(second.first).id, client)
            #expect(try await Self.references("customer=mette", orders, client) == ["G-1"])
            #expect(try await Self.board("customer=mette", orders, client).counts.live == 1)
            #expect(try await Self.references("customer=met", orders, client) == [])
            #expect(try await Self.references("reference=G-2", orders, client) == ["G-2"])
            #expect(try await Self.references("reference=%20G-1%20", orders, client) == ["G-1"])
            #expect(try await Self.references("reference=G-1&customer=ole", orders, client) == [])
            #expect(try await Self.references("reference=G-2&status=cancelled", orders, client) == ["G-2"])
            for text in [String(repeating: "a", count: 25), "a%01"] {
                let refused = try await orders.send(
                    client, .get, "/v1/deliveries?reference=\(text)", as: .operator, "ada")
                #expect(refused.status == .badRequest)
                #expect(try refused.problem().errors?.map(\.path) == ["query reference"])
            }
        }
    }

    @Test("Nobody reads another's by it: a customer and a store their own, a courier of no customer what has ended")
    func scope() async throws {
        try await OrdersUnderTest.run { orders, client in
            let mettes = try await orders.place(client, try orders.body(customer: "mette", reference: "G-1"))
            _ = try await orders.place(client, try orders.body(customer: "ole", reference: "G-2"))
            let id = mettes.deliveries[0].id
            try await orders.assign("mira", id, client)
            #expect(try await Self.references("customer=ole", orders, client, as: .customer, "mette") == ["G-1"])
            #expect(try await Self.references("reference=G-2", orders, client, as: .customer, "mette") == [])
            #expect(try await Self.references("customer=mette", orders, client, as: .courier, "mira") == ["G-1"])
            try await orders.set(.cancelled, id, client)
            let ended = "customer=mette&status=cancelled"
            #expect(try await Self.references(ended, orders, client, as: .courier, "mira") == [])
            #expect(try await Self.references("reference=G-1", orders, client, as: .courier, "noah") == [])
            #expect(try await Self.references(ended, orders, client) == ["G-1"])
            for role in [Role.store, .operator] {
                let valby = try await orders.token(role, "shop", store: "valby")
                let board: BoardBody = try await orders.send(
                    client, .get, "/v1/deliveries?store=nordhavn", token: valby
                ).decode()
                #expect(board.deliveries.isEmpty && board.counts.live == 0)
            }
        }
    }

    @Test("A row has the door, which a courier no longer reads after the end")
    func doors() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try orders.body(reference: "G-1")
            let id = try await orders.place(client, placed).deliveries[0].id
            try await orders.assign("mira", id, client)
            func door(_ role: Role, _ subject: String) async throws -> Coordinate? {
                try await Self.board("reference=G-1", orders, client, as: role, subject).deliveries.first?.door
            }
            let readers: [(Role, String)] = [
                (.operator, "ada"), (.store, "nordhavn"), (.customer, "mette"), (.courier, "mira"),
            ]
            for (role, subject) in readers {
                #expect(try await door(role, subject) == placed.door, "\(role)")
            }
            try await orders.set(.cancelled, id, client)
            #expect(try await door(.operator, "ada") != nil)
            #expect(try await door(.courier, "mira") == nil)
        }
    }
}
