import DomainTime
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

@Suite("Timers of a delivery", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct TimerHandlersTests {
    @Test("A proposal without an answer is refunded when its timer is due")
    func unanswered() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            for code in [StatusCode.accepted, .picking] { try await orders.set(code, delivery.id, client) }
            let proposal = ItemBody(status: .substituteProposed, substitute: .init(name: "Oat milk"))
            let response = try await orders.send(
                client, .patch, "/v1/deliveries/\(delivery.id)/items/milk", as: .store, "nordhavn", proposal)
            #expect(response.status == .ok)
            #expect(try response.decode(DeliveryBody.self).flags == [.needsCustomer])
            let handler = try #require(TimerHandlers(change: orders.change).handlers[DeliveryTimers.answerOverdue])
            let item = try #require(ItemID(rawValue: "milk"))
            let key = DeliveryTimers.AnswerKey(delivery: delivery.id, item: item, proposal: 1)
            orders.clock.advance(by: 601)
            let timer = DurableTimer(kind: DeliveryTimers.answerOverdue, key: key.text, dueAt: orders.clock.now)
            try await orders.pool.withTransaction { try await handler(timer, $0) }
            let stored = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(stored.delivery.items[0].status == .refunded)
            #expect(stored.delivery.flags.isEmpty)
        }
    }

    @Test("A promise that has passed sets delayed, and the late intent writes step 0 of the version")
    func promiseAndIntent() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let handlers = TimerHandlers(change: orders.change).handlers
            func fire(_ kind: String) async throws {
                let handler = try #require(handlers[kind])
                let timer = DurableTimer(kind: kind, key: delivery.id.rawValue, dueAt: orders.clock.now)
                try await orders.pool.withTransaction { try await handler(timer, $0) }
            }
            try await fire(DeliveryTimers.promiseEnd)
            let record = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(record.delivery.flags == [.delayed] && record.delivery.version == 2)
            try await orders.pool.execute("DELETE FROM outbox")
            try await fire(DeliveryTimers.lateIntent)
            let subjects = try await orders.outbox().map(\.subject)
            #expect(subjects.count == 1 && subjects[0].hasPrefix("activities.intent.orders."))
        }
    }

    @Test("A stop that is done counts no more before the courier's later doors, and changes no earlier one")
    func tripAdvance() async throws {
        try await OrdersUnderTest.run { orders, client in
            let deliveries = try await orders.place(client, try orders.body(bags: 3)).deliveries
            for (stops, delivery) in deliveries.enumerated() {
                try await orders.assign("mira", delivery.id, client)
                for code in [StatusCode.accepted, .picking, .staged, .pickedUp] {
                    try await orders.set(code, delivery.id, client)
                }
                let answer = try await orders.send(
                    client, .put, "/v1/deliveries/\(delivery.id)/trip", as: .store, "nordhavn",
                    TripBody(stopsBefore: stops))
                #expect(answer.status == .ok)
            }
            try await orders.set(.delivered, deliveries[1].id, client)
            #expect(try await orders.timers().contains(DeliveryTimers.tripAdvance))
            let handler = try #require(TimerHandlers(change: orders.change).handlers[DeliveryTimers.tripAdvance])
            let timer = DurableTimer(
                kind: DeliveryTimers.tripAdvance, key: "any", dueAt: orders.clock.now, payload: Array("mira 1".utf8))
            try await orders.pool.withTransaction { try await handler(timer, $0) }
            var stops: [Int] = []
            for delivery in deliveries {
                stops.append(
                    try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool)).delivery.stopsBefore)
            }
            #expect(stops == [0, 0, 1])
        }
    }

    @Test("Only a picked-up delivery that ends or goes back leaves the trip")
    func tripStop() throws {
        var carried = try Delivery.sample()
        try carried.advance(to: .enRoute)
        try carried.change(.stopsBefore(2))
        func stop(_ change: DeliveryChange) throws -> DeliveryTimers.TripStop? {
            var next = carried
            try next.change(change)
            return DeliveryTimers.TripStop(left: carried, by: next)
        }
        for code in [StatusCode.delivered, .returning] {
            let left = try #require(try stop(.status(code, reason: nil)))
            #expect(left == DeliveryTimers.TripStop("mira 2") && DeliveryTimers.TripStop(left.text) == left)
        }
        let finn = Courier(id: try #require(CourierID(rawValue: "finn")), name: "Finn", vehicle: .bicycle, phone: nil)
        #expect(try stop(.courier(finn)) == nil && stop(.status(.arriving, reason: nil)) == nil)
        #expect(DeliveryTimers.TripStop("mira") == nil)
    }
}
