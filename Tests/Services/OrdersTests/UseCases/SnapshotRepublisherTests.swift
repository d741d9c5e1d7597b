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

@Suite("Republishing the snapshots of deliveries", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct SnapshotRepublisherTests {
    @Test("A delivery whose row cannot be decoded is skipped, and all others are republished")
    func unreadable() async throws {
        try await OrdersUnderTest.run { orders, client in
            let first = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0].id
            let second = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            try await orders.pool.execute("DELETE FROM outbox")
            try await orders.pool.execute(
                "UPDATE deliveries SET snapshot = '{}' WHERE delivery_id = \(first.rawValue)")
            let answer = try await orders.send(client, .post, "/v1/admin/republish", as: .operator, "ada")
            #expect(answer.status == .accepted)
            let published = try await orders.outbox().map(\.subject)
            #expect(published.contains { $0.hasSuffix(second.rawValue) })
            #expect(!published.contains { $0.hasSuffix(first.rawValue) })
        }
    }
}
