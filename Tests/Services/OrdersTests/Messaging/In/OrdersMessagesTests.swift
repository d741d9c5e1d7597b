import DomainTime
import DoorstepAPI
import Foundation
import Logging
import Messages
import NatsClient
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import Orders

@Suite("Messages to orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct OrdersMessagesTests {
    @Test("An older estimate that arrives late does not replace a newer one")
    func projection() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let courier = try #require(CourierID(rawValue: "mira"))
            func estimate(_ step: Int) -> EstimateChanged {
                let at = orders.clock.now.addingTimeInterval(Double(step))
                return EstimateChanged(
                    delivery: id, version: 1, step: step,
                    estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: at), courier: courier,
                    lastFixAt: nil)
            }
            try await orders.messages.handle([estimate(2)])
            try await orders.messages.handle([estimate(1)])
            let stored = try #require(try await OrderRepository.delivery(id, on: orders.pool))
            #expect(stored.estimate?.arrivesAt == orders.clock.now.addingTimeInterval(2))
        }
    }

    @Test("Older card health that arrives late does not replace newer card health")
    func cardHealth() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            func health(_ sequence: Int, behind: Int) -> CardHealthChanged {
                CardHealthChanged(
                    delivery: id, sequence: sequence, cards: 2, behind: behind, reason: nil)
            }
            try await orders.messages.handle([health(2, behind: 0)])
            try await orders.messages.handle([health(1, behind: 2)])
            let record = try #require(try await OrderRepository.delivery(id, on: orders.pool))
            #expect(record.cardHealth == .init(count: 2, behind: 0, reason: nil))
        }
    }

    @Test("A batch of estimates and of card health is one statement, and of each delivery the newest counts")
    func batches() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body(bags: 2)).deliveries.map(\.id)
            let courier = try #require(CourierID(rawValue: "mira"))
            let at = orders.clock.now
            let steps = [(placed[0], 2), (placed[1], 4), (placed[0], 3), (placed[0], 1), (DeliveryID(UUID()), 1)]
            try await orders.messages.handle(
                steps.map { delivery, step in
                    let arrives = at.addingTimeInterval(Double(step))
                    return EstimateChanged(
                        delivery: delivery, version: 1, step: step,
                        estimate: Estimate(arrivesAt: arrives, earliest: arrives, latest: arrives, madeAt: at),
                        courier: courier, lastFixAt: nil, missProbability: step == 4 ? nil : 0.5)
                })
            try await orders.messages.handle(
                steps.map { delivery, step in
                    CardHealthChanged(
                        delivery: delivery, sequence: step, cards: step, behind: 1, reason: step == 4 ? nil : "gone")
                })
            for (delivery, step) in [(placed[0], 3), (placed[1], 4)] {
                let record = try #require(try await OrderRepository.delivery(delivery, on: orders.pool))
                #expect(record.estimate?.arrivesAt == at.addingTimeInterval(Double(step)))
                #expect(record.cardHealth == .init(count: step, behind: 1, reason: step == 4 ? nil : "gone"))
            }
        }
    }

    @Test("Of a batch of milestones the refused ones fail alone, and the others share a transaction")
    func milestones() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body(bags: 2)).deliveries.map(\.id)
            for delivery in placed { try await orders.assign("mira", delivery, client) }
            try await orders.pool.execute("DELETE FROM outbox")
            let milestones = ([DeliveryID(UUID())] + placed).map { delivery in
                MilestoneReached(delivery: delivery, milestone: .late, assignmentEpoch: 1, at: orders.clock.now)
            }
            let outcomes = await orders.messages.handle(
                milestones.map { (message: $0, context: MessageContext.ofTest) })
            for outcome in outcomes { try outcome.get() }
            let rows = try await orders.pool.query(
                "SELECT FROM outbox WHERE subject = \(Subject.deliveriesChanged)")
            #expect(rows.count == 1)
            for delivery in placed {
                let snapshots = try await orders.snapshots(of: delivery).map(\.message.delivery)
                #expect(snapshots.count == 1 && snapshots.allSatisfy { $0.flags.contains(.delayed) })
            }
        }
    }

    @Test("A courier near a former door is not near the present one; a writer that names no door is believed")
    func doorOfMilestones() async throws {
        try await OrdersUnderTest.run { orders, client in
            let former = try orders.body().door
            let present = Coordinate(clampingLatitude: 55.6761, longitude: 12.5683)
            for (index, milestone) in [Milestone.arriving, .atDoor].enumerated() {
                for (number, door) in [present, nil].enumerated() {
                    let body = try orders.body(reference: "G-\(index)\(number)")
                    let id = try await orders.place(client, body).deliveries[0].id
                    try await orders.assign("mira", id, client)
                    try await orders.set([.accepted, .picking, .pickedUp], id, client)
                    let correction = DeliveryChange.correct(DropOffCorrection(door: present))
                    _ = try await orders.change(id, correction, by: Principal(.operator("ada")))
                    func reach(at door: Coordinate?) async throws -> StatusCode {
                        let message = MilestoneReached(
                            delivery: id, milestone: milestone, assignmentEpoch: 1, at: orders.clock.now, door: door)
                        for outcome in await orders.messages.handle([(message: message, context: .ofTest)]) {
                            try outcome.get()
                        }
                        let record = try #require(try await OrderRepository.delivery(id, on: orders.pool))
                        return record.delivery.status.code
                    }
                    let before = try await reach(at: former)
                    #expect(before == .pickedUp, "\(milestone) at the former door")
                    let wanted: StatusCode = milestone == .arriving ? .arriving : .atDoor
                    let after = try await reach(at: door)
                    #expect(after == wanted, "\(milestone)")
                }
            }
        }
    }

    @Test("A delivery is late for its present promise alone, whatever arrives about a former one")
    func promiseOfMilestones() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            func stored() async throws -> Delivery {
                try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
            }
            let former = try await stored().promise
            let later = try #require(Promise(start: former.start + 1_800, end: former.end + 1_800))
            _ = try await orders.change(id, .promise(later), by: Principal(.operator("ada")))
            let present = try await stored().promise
            for (end, isDelayed) in [(former.end, false), (present.end, true)] {
                let message = MilestoneReached(
                    delivery: id, milestone: .late, assignmentEpoch: 1, at: orders.clock.now, promiseEnd: end)
                for outcome in await orders.messages.handle([(message: message, context: .ofTest)]) {
                    try outcome.get()
                }
                let delivery = try await stored()
                #expect(delivery.flags.contains(.delayed) == isDelayed)
            }
        }
    }

    @Test("A milestone of a delivery that is not here is acknowledged and changes nothing")
    func unknownDelivery() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let id = DeliveryID(UUID())
            let milestone = MilestoneReached(delivery: id, milestone: .late, assignmentEpoch: 1, at: orders.clock.now)
            for outcome in await orders.messages.handle([(message: milestone, context: .ofTest)]) { try outcome.get() }
            #expect(try await orders.outbox().isEmpty)
        }
    }

    @Test("A provider's reports, doubled and backwards, are one delivered delivery with each in its timeline once")
    func reports() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let sam = Courier(id: try #require(CourierID(rawValue: "uber-sam")), name: "Sam", vehicle: .car, phone: nil)
            let placed = orders.clock.now
            func reported(_ status: StatusCode, minutes: Double) throws -> ProviderReported {
                ProviderReported(
                    delivery: id,
                    report: ProviderReport(
                        source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: status.rawValue,
                        kind: "event.delivery_status \(status.rawValue)", status: status, courier: sam,
                        occurredAt: placed.addingTimeInterval(minutes * 60),
                        receivedAt: placed.addingTimeInterval(3_600), reason: "as they put it"))
            }
            let life = [try reported(.assigned, minutes: 5), try reported(.pickedUp, minutes: 20)]
            for message in [try reported(.delivered, minutes: 40)] + life.reversed() + life {
                let outcomes = await orders.messages.handle([(message: message, context: .ofTest)])
                for outcome in outcomes { try outcome.get() }
            }
            let record = try #require(try await OrderRepository.delivery(id, on: orders.pool))
            #expect(record.delivery.status == .handedOver(.delivered) && record.delivery.courier == sam)
            #expect(record.delivery.pickedUpAt == placed.addingTimeInterval(1_200))

            let timeline = try await OrderRepository.timeline(id, on: orders.pool).filter { $0.report != nil }
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

extension MessageContext {
    /// The context of a message without a trace.
    fileprivate static var ofTest: MessageContext {
        MessageContext(message: StreamMessage(subject: "", payload: []), logger: .silent)
    }
}
