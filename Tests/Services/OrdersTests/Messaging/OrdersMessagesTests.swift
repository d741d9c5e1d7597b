import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import TestSupport
import Testing

@testable import Orders

@Suite("Messages to orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct OrdersMessagesTests {
    @Test("An older estimate that arrives late does not replace a newer one")
    func projection() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let courier = try #require(CourierID(rawValue: "mira"))
            func estimate(_ step: Int) -> EstimateChanged {
                let at = orders.clock.now.addingTimeInterval(Double(step))
                return EstimateChanged(
                    delivery: delivery.id, version: 1, step: step,
                    estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: at), courier: courier,
                    lastFixAt: nil)
            }
            try await orders.messages.handle(estimate(2))
            try await orders.messages.handle(estimate(1))
            let stored = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(stored.estimate?.arrivesAt == orders.clock.now.addingTimeInterval(2))
        }
    }

    @Test("Older card health that arrives late does not replace newer card health")
    func cardHealth() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            func health(_ sequence: Int, behind: Int) -> CardHealthChanged {
                CardHealthChanged(
                    delivery: delivery.id, sequence: sequence, cards: 2, behind: behind, reason: nil)
            }
            try await orders.messages.handle(health(2, behind: 0))
            try await orders.messages.handle(health(1, behind: 2))
            let record = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(record.cardHealth == .init(count: 2, behind: 0, reason: nil))
        }
    }

    @Test("A milestone of a delivery that is not here is acknowledged and changes nothing")
    func unknownDelivery() async throws {
        try await OrdersUnderTest.run { orders, _ in
            try await orders.messages.handle(
                MilestoneReached(
                    delivery: DeliveryID(UUID()), milestone: .late, assignmentEpoch: 1, at: orders.clock.now))
            #expect(try await orders.outbox().isEmpty)
        }
    }
}
