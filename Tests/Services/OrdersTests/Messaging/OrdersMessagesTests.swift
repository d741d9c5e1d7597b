import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import ReliableMessaging
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
            try await orders.messages.handle(estimate(2), on: Subject.estimateChanged(delivery.id))
            try await orders.messages.handle(estimate(1), on: Subject.estimateChanged(delivery.id))
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
            try await orders.messages.handle(health(2, behind: 0), on: Subject.cardHealth(delivery.id))
            try await orders.messages.handle(health(1, behind: 2), on: Subject.cardHealth(delivery.id))
            let record = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(record.cardHealth == .init(count: 2, behind: 0, reason: nil))
        }
    }

    @Test("A milestone of a delivery that is not here is acknowledged and changes nothing")
    func unknownDelivery() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let id = DeliveryID(UUID())
            try await orders.messages.handle(
                MilestoneReached(delivery: id, milestone: .late, assignmentEpoch: 1, at: orders.clock.now),
                on: Subject.milestoneReached(id))
            #expect(try await orders.outbox().isEmpty)
        }
    }

    @Test("A message on the subject of another delivery is rejected and changes nothing")
    func otherSubject() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let health = CardHealthChanged(delivery: delivery.id, sequence: 1, cards: 2, behind: 1, reason: nil)
            await #expect(throws: RejectedMessage.self) {
                try await orders.messages.handle(health, on: Subject.cardHealth(DeliveryID(UUID())))
            }
            let record = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(record.cardHealth == nil)
        }
    }
}
