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
            let id = DeliveryID(UUID())
            try await orders.messages.handle(
                MilestoneReached(delivery: id, milestone: .late, assignmentEpoch: 1, at: orders.clock.now))
            #expect(try await orders.outbox().isEmpty)
        }
    }

    @Test("A provider's reports, doubled and backwards, are one delivered delivery with each in its timeline once")
    func reports() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let sam = Courier(id: try #require(CourierID(rawValue: "uber-sam")), name: "Sam", vehicle: .car, phone: nil)
            let placed = orders.clock.now
            func reported(_ status: StatusCode, minutes: Double) throws -> ProviderReported {
                ProviderReported(
                    delivery: delivery.id,
                    report: ProviderReport(
                        source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: status.rawValue,
                        kind: "event.delivery_status \(status.rawValue)", status: status, courier: sam,
                        occurredAt: placed.addingTimeInterval(minutes * 60),
                        receivedAt: placed.addingTimeInterval(3_600), reason: "as they put it"))
            }
            let life = [try reported(.assigned, minutes: 5), try reported(.pickedUp, minutes: 20)]
            for message in [try reported(.delivered, minutes: 40)] + life.reversed() + life {
                try await orders.messages.handle(message)
            }
            let record = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(record.delivery.status == .handedOver(.delivered) && record.delivery.courier == sam)
            #expect(record.delivery.pickedUpAt == placed.addingTimeInterval(1_200))

            let timeline = try await OrderRepository.timeline(delivery.id, on: orders.pool).filter { $0.report != nil }
            #expect(timeline.map(\.report?.id) == [nil, "delivered", "picked_up", "assigned"])
            #expect(timeline.map(\.report?.isInferred) == [true, false, false, false])
            #expect(timeline.map(\.report?.isLate) == [false, false, true, true])
            #expect(timeline[0].summary.hasSuffix("picked_up, en_route"))
            #expect(timeline[2].report?.occurredAt == placed.addingTimeInterval(1_200))
            #expect(timeline.allSatisfy { $0.by == "uber" && $0.kind == "report" })
            let shown = timeline[1].redacted(for: Principal(.customer(record.delivery.customer)))
            #expect(shown.reason == nil && timeline[1].reason == "as they put it")
        }
    }
}
