import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Healing of orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct HealingTests {
    @Test("A delivery whose row cannot be read is passed over, and every other is said again")
    func unreadable() async throws {
        try await OrdersUnderTest.run { orders, client in
            let first = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0].id
            let second = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            try await orders.pool.execute("DELETE FROM outbox")
            try await orders.pool.execute(
                "UPDATE deliveries SET snapshot = '{}' WHERE delivery_id = \(first.rawValue)")
            let answer = try await orders.send(client, .post, "/v1/admin/republish", as: .operator, "ada")
            #expect(answer.status == .accepted)
            let said = try await orders.outbox().map(\.subject)
            #expect(said.contains { $0.hasSuffix(second.rawValue) })
            #expect(!said.contains { $0.hasSuffix(first.rawValue) })
        }
    }
}
