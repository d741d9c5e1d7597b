import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Orders

@Suite("Guesses of an order's number", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ProveOrderTests {
    /// Several orders, and what takes their numbers.
    private func withOrders(
        _ count: Int, _ body: @escaping @Sendable (OrdersUnderTest, ProveOrder, [Delivery]) async throws -> Void
    ) async throws {
        try await OrdersUnderTest.run { orders, client in
            var deliveries: [Delivery] = []
            for number in 0..<count {
                let placed = try await orders.place(client, try orders.body(reference: "G-\(1_000 + number)"))
                let id = placed.deliveries[0].id
                deliveries.append(try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery)
            }
            let prove = ProveOrder(pool: orders.pool, signer: orders.pressLink.signer, clock: orders.clock.domain)
            try await body(orders, prove, deliveries)
        }
    }

    private static func give(
        _ reference: String, of delivery: Delivery, from address: String, to prove: ProveOrder,
        isRefusedAs expected: ProveOrder.Refusal?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var refusal: ProveOrder.Refusal?
        do {
            _ = try await prove(reference, of: delivery, from: address)
        } catch let error as ProveOrder.Refusal {
            refusal = error
        }
        #expect(refusal == expected, sourceLocation: sourceLocation)
    }

    @Test(
        "An order's number is known with its prefix and without, in digits of any script, and not by another one",
        arguments: [
            ("G-1042", true), ("1042", true), ("#1042", true), ("g 1042", true), ("G1042", true), ("104", false),
            ("1043", false), ("H-1042", false), ("G-", false), ("10421", false), ("١٠٤٢", true), ("۱۰۴۲", true),
            ("１０４２", true), ("١٠٤٣", false),
        ])
    func isSame(typed: String, isRight: Bool) {
        #expect(ProveOrder.isSame(typed, "G-1042") == isRight)
        #expect(ProveOrder.isSame("spring", "Spring") && !ProveOrder.isSame(typed, "Spring"))
    }

    @Test("Whoever guesses is locked out of the order for an hour, and its customer is not")
    func guesser() async throws {
        try await withOrders(1) { orders, prove, deliveries in
            let delivery = deliveries[0]
            for left in (0..<ProveOrder.attemptsMax).reversed() {
                try await Self.give(
                    "G-2", of: delivery, from: "192.0.2.1", to: prove, isRefusedAs: .wrongReference(attemptsLeft: left))
            }
            let until = orders.clock.now.addingTimeInterval(3_600)
            try await Self.give(
                "G-1000", of: delivery, from: "192.0.2.1", to: prove, isRefusedAs: .tooManyAttempts(until: until))
            try await Self.give("G-1000", of: delivery, from: "192.0.2.2", to: prove, isRefusedAs: nil)
            orders.clock.advance(by: 3_600)
            try await Self.give("G-1000", of: delivery, from: "192.0.2.1", to: prove, isRefusedAs: nil)
        }
    }

    @Test("An address has twenty wrong numbers an hour, whatever orders they are of; right ones cost it none")
    func address() async throws {
        try await withOrders(6) { orders, prove, deliveries in
            for _ in 1...30 {
                try await Self.give("G-1005", of: deliveries[5], from: "192.0.2.1", to: prove, isRefusedAs: nil)
            }
            for number in 0..<ProveOrder.addressAttemptsMax {
                // Of the order and of the address, whichever has fewer left.
                let left = min(4 - number % 5, ProveOrder.addressAttemptsMax - 1 - number)
                try await Self.give(
                    "G-2", of: deliveries[number / 5], from: "192.0.2.1", to: prove,
                    isRefusedAs: .wrongReference(attemptsLeft: left))
            }
            let until = orders.clock.now.addingTimeInterval(3_600)
            try await Self.give(
                "G-1005", of: deliveries[5], from: "192.0.2.1", to: prove, isRefusedAs: .tooManyAttempts(until: until))
            try await Self.give("G-1005", of: deliveries[5], from: "192.0.2.2", to: prove, isRefusedAs: nil)
        }
    }

    @Test("After twenty wrong numbers of an order from any addresses a new address may give the whole number alone")
    func manyAddresses() async throws {
        try await withOrders(1) { orders, prove, deliveries in
            let delivery = deliveries[0]
            for number in 0..<ProveOrder.orderAttemptsMax {
                let left = min(ProveOrder.attemptsMax, ProveOrder.orderAttemptsMax - number) - 1
                try await Self.give(
                    "2", of: delivery, from: "192.0.2.\(number)", to: prove,
                    isRefusedAs: .wrongReference(attemptsLeft: left))
            }
            try await Self.give(
                "1000", of: delivery, from: "198.51.100.1", to: prove, isRefusedAs: .wrongReference(attemptsLeft: 0))
            let until = orders.clock.now.addingTimeInterval(3_600)
            try await Self.give(
                "G-1000", of: delivery, from: "198.51.100.1", to: prove, isRefusedAs: .tooManyAttempts(until: until))
            try await Self.give("g 1000", of: delivery, from: "198.51.100.2", to: prove, isRefusedAs: nil)
            orders.clock.advance(by: 86_400)
            try await Self.give("1000", of: delivery, from: "198.51.100.1", to: prove, isRefusedAs: nil)
        }
    }

    @Test("Whose guesses are over an hour old is not known any more, nor after a day how many there were")
    func forgotten() async throws {
        try await withOrders(1) { orders, prove, deliveries in
            try await Self.give(
                "G-2", of: deliveries[0], from: "192.0.2.1", to: prove, isRefusedAs: .wrongReference(attemptsLeft: 4))
            try await ExpiredRows.delete(on: orders.pool, at: orders.clock.now)
            #expect(try await orders.pool.query("SELECT FROM reference_guesses").count == 3)
            orders.clock.advance(by: 3_601)
            try await ExpiredRows.delete(on: orders.pool, at: orders.clock.now)
            let kept = try await orders.pool.query("SELECT guesser FROM reference_guesses")
            #expect(try kept.map { try $0.decode("guesser", as: String.self) } == ["order/\(deliveries[0].order)"])
            orders.clock.advance(by: 86_400 - 3_600)
            try await ExpiredRows.delete(on: orders.pool, at: orders.clock.now)
            #expect(try await orders.pool.query("SELECT FROM reference_guesses").isEmpty)
        }
    }
}
