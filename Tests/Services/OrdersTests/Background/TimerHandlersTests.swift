import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
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
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking], id, client)
            let proposal = ItemBody(status: .substituteProposed, substitute: .init(name: "Oat milk"))
            let response = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn", proposal)
            #expect(response.status == .ok)
            #expect(try response.decode(DeliveryBody.self).flags == [.needsCustomer])
            let handler = try #require(TimerHandlers(change: orders.change).handlers[DeliveryTimers.answerOverdue])
            let item = try #require(ItemID(rawValue: "milk"))
            let key = DeliveryTimers.AnswerKey(delivery: id, item: item, proposal: 1)
            orders.clock.advance(by: 601)
            let timer = DurableTimer(kind: DeliveryTimers.answerOverdue, key: key.text, dueAt: orders.clock.now)
            try await orders.pool.withTransaction { try await handler(timer, $0) }
            let stored = try #require(try await OrderRepository.delivery(id, on: orders.pool))
            #expect(stored.delivery.items[0].status == .refunded)
            #expect(stored.delivery.flags.isEmpty)
        }
    }

    @Test("Two open questions have one deadline, which customers read: no item is refunded before it")
    func twoQuestions() async throws {
        try await OrdersUnderTest.run { orders, client in
            try await expectBothTimers(of: try await ask(orders, client), orders)
        }
    }

    @Test("A change of a delivery with two open questions sets the timer that 0.27 has set for one of them alone")
    func oneQuestionsTimer() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await ask(orders, client)
            try await orders.pool.execute("DELETE FROM timers WHERE key = \("\(delivery)/eggs/1")")
            _ = try await orders.change(delivery, .hold(reason: "rain"), by: Principal(.system("test")))
            try await expectBothTimers(of: delivery, orders)
        }
    }

    /// Asks the customer of a new delivery about two items, each with its own time.
    private func ask(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws -> DeliveryID {
        var body = try orders.body()
        let eggs = try #require(ItemID(rawValue: "eggs"))
        body.deliveries[0].items.append(.init(id: eggs, name: "Eggs", quantity: 1, ifUnavailable: .ask))
        let delivery = try await orders.place(client, body).deliveries[0].id
        try await orders.set([.accepted, .picking], delivery, client)
        for (item, seconds) in [("eggs", 120), ("milk", 1_800)] {
            let response = try await orders.send(
                client, .patch, "/v1/deliveries/\(delivery)/items/\(item)", as: .store, "nordhavn",
                ItemBody(status: .substituteProposed, substitute: .init(name: "Another"), answerSeconds: seconds))
            #expect(response.status == .ok, "\(String(buffer: response.body))")
        }
        return delivery
    }

    private func expectBothTimers(of delivery: DeliveryID, _ orders: OrdersUnderTest) async throws {
        let rows = try await orders.pool.query(
            "SELECT key, due_at FROM timers WHERE kind = \(DeliveryTimers.answerOverdue) ORDER BY key")
        let keys = try rows.map { try $0.decode("key", as: String.self) }
        #expect(keys == ["\(delivery)/eggs/1", "\(delivery)/milk/1"])
        let stored = try #require(try await OrderRepository.delivery(delivery, on: orders.pool))
        let deadline = try #require(stored.delivery.needsCustomerUntil)
        #expect(try rows.map { try $0.decode("due_at", as: Date.self) } == [deadline, deadline])
    }

    @Test("A promise that has passed sets delayed, and the late intent writes step 0 of the version")
    func promiseAndIntent() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let handlers = TimerHandlers(change: orders.change).handlers
            func fire(_ kind: String) async throws {
                let handler = try #require(handlers[kind])
                let timer = DurableTimer(kind: kind, key: id.rawValue, dueAt: orders.clock.now)
                try await orders.pool.withTransaction { try await handler(timer, $0) }
            }
            try await fire(DeliveryTimers.promiseEnd)
            let record = try #require(try await OrderRepository.delivery(id, on: orders.pool))
            #expect(record.delivery.flags == [.delayed] && record.delivery.version == 2)
            try await orders.pool.execute("DELETE FROM outbox")
            try await fire(DeliveryTimers.lateIntent)
            #expect(try await orders.outbox().map(\.subject) == [Subject.intents(.orders)])
        }
    }

    @Test("A timer of a delivery that is deleted since changes nothing and does not fail")
    func deleted() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let delivery = DeliveryID(UUID())
            let item = try #require(ItemID(rawValue: "milk"))
            let answer = DeliveryTimers.AnswerKey(delivery: delivery, item: item, proposal: 1).text
            let handlers = TimerHandlers(change: orders.change).handlers
            for (kind, key) in [
                (DeliveryTimers.promiseEnd, delivery.rawValue), (DeliveryTimers.answerOverdue, answer),
            ] {
                let handler = try #require(handlers[kind])
                let timer = DurableTimer(kind: kind, key: key, dueAt: orders.clock.now)
                try await orders.pool.withTransaction { try await handler(timer, $0) }
            }
        }
    }

    /// The bags of an order that a courier carries, with these numbers of stops before them.
    ///
    /// - Parameter haveOwnDoors: whether each is an order of its own, for another door.
    static func carried(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, stops: [Int], inStore: [Int] = [],
        haveOwnDoors: Bool = false, requires proofs: [ProofKind]? = nil
    ) async throws -> [DeliveryID] {
        let count = stops.count + inStore.count
        var bodies = [try orders.body(bags: haveOwnDoors ? 1 : count)]
        if haveOwnDoors { bodies = Array(repeating: bodies[0], count: count) }
        var ids: [DeliveryID] = []
        for (index, var body) in bodies.enumerated() {
            body.reference = "G-\(index)"
            body.door = try door(index, orders)
            body.requires = proofs
            ids += try await orders.place(client, body).deliveries.map(\.id)
        }
        for (index, (id, stops)) in zip(ids, stops + inStore).enumerated() {
            try await orders.assign("mira", id, client)
            try await orders.set([.accepted, .picking, .staged], id, client)
            if index < ids.count - inStore.count { try await orders.set(.pickedUp, id, client) }
            try await setStops(stops, id, orders, client)
        }
        return ids
    }

    /// The door of the delivery with this index; the first is that of all bags of one order.
    private static func door(_ index: Int, _ orders: OrdersUnderTest) throws -> Coordinate {
        let first = try orders.body().door
        return Coordinate(clampingLatitude: first.latitude + 0.002 * Double(index), longitude: first.longitude)
    }

    private static func setStops(
        _ stops: Int, _ id: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws {
        let answer = try await orders.send(
            client, .put, "/v1/deliveries/\(id)/trip", as: .store, "nordhavn", TripBody(stopsBefore: stops))
        #expect(answer.status == .ok)
    }

    static func stops(_ ids: [DeliveryID], _ orders: OrdersUnderTest) async throws -> [Int] {
        var stops: [Int] = []
        for id in ids {
            stops.append(try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery.stopsBefore)
        }
        return stops
    }

    /// Executes the timer of a stop of `mira` with this number of stops before it.
    ///
    /// - Parameter index: of the delivery, among those with doors of their own.
    private static func advance(
        past stopsBefore: Int, index: Int = 0, inStore: Bool = false, doneAt: Date, _ orders: OrdersUnderTest
    ) async throws {
        let door = try Self.door(index, orders)
        let handler = try #require(TimerHandlers(change: orders.change).handlers[DeliveryTimers.tripAdvance])
        let timer = DurableTimer(
            kind: DeliveryTimers.tripAdvance, key: "any", dueAt: doneAt,
            payload: Array("mira \(stopsBefore) \(door.latitude) \(door.longitude)\(inStore ? " store" : "")".utf8))
        try await orders.pool.withTransaction { try await handler(timer, $0) }
    }

    @Test("A stop that is done counts no more before the courier's later doors, and changes no earlier one")
    func tripAdvance() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2, 3])
            try await orders.set(.delivered, ids[1], client)
            #expect(try await orders.timers().contains(DeliveryTimers.tripAdvance))
            try await orders.pool.execute("DELETE FROM outbox")
            try await Self.advance(past: 1, doneAt: orders.clock.now, orders)
            #expect(try await Self.stops(ids, orders) == [0, 0, 1, 2])
            let rows = try await orders.pool.query("SELECT subject FROM outbox")
            #expect(
                try rows.map { try $0.decode("subject", as: String.self) } == [Subject.deliveriesChanged],
                "both changes are one message")
        }
    }

    @Test("A place that the shop sets between the end of a stop and its timer stays as the shop set it")
    func tripSetMeanwhile() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2])
            try await orders.set(.delivered, ids[0], client)
            let doneAt = orders.clock.now
            orders.clock.advance(by: 1)
            try await Self.setStops(1, ids[2], orders, client)
            try await Self.advance(past: 0, doneAt: doneAt, orders)
            #expect(try await Self.stops(ids, orders) == [0, 0, 1])
        }
    }

    @Test("Stops that are done before their timers run each count, in any order", arguments: [[0, 1], [1, 0]])
    func tripAdvancesTogether(order: [Int]) async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2, 3], haveOwnDoors: true)
            for id in ids.prefix(2) { try await orders.set(.delivered, id, client) }
            let doneAt = orders.clock.now
            for stop in order {
                orders.clock.advance(by: 1)
                try await Self.advance(past: stop, index: stop, doneAt: doneAt, orders)
            }
            #expect(try await Self.stops(ids, orders) == [0, 0, 0, 1])
        }
    }

    @Test("Bags for one door are one stop, which is done with the last of them")
    func bagsOfOneDoor() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 0, 2])
            for (id, left) in zip(ids, [2, 1]) {
                orders.clock.advance(by: 1)
                try await orders.set(.delivered, id, client)
                try await Self.advance(past: 0, doneAt: orders.clock.now, orders)
                #expect(try await Self.stops(ids, orders)[2] == left)
            }
        }
    }

    @Test(
        "A stop that is cancelled in the store counts no more before the doors behind it on its own trip",
        arguments: [
            ([], [0, 1, 2], 0, [0, 0, 1]), ([1, 2], [0], 2, [0, 1, 0]), ([0, 1], [0, 1], 2, [0, 1, 0, 0]),
            ([0, 2], [1, 3], 2, [0, 1, 0, 2]), ([], [0, 0, 1], 0, [0, 0, 1]),
        ])
    func cancelledInStore(carried: [Int], inStore: [Int], cancelled: Int, expected: [Int]) async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: carried, inStore: inStore)
            try await orders.pool.execute("DELETE FROM timers")
            try await orders.set(.cancelled, ids[cancelled], client)
            #expect(try await orders.timers().contains(DeliveryTimers.tripAdvance))
            try await Self.advance(
                past: (carried + inStore)[cancelled], inStore: true, doneAt: orders.clock.now, orders)
            #expect(try await Self.stops(ids, orders) == expected)
        }
    }

    @Test("Only a delivery that ends, goes back or is left undone at its door leaves the trip")
    func tripStop() throws {
        var carried = try Delivery.sample()
        try carried.advance(to: .enRoute)
        try carried.change(.stopsBefore(2))
        func stop(_ change: DeliveryChange) throws -> DeliveryTimers.TripStop? {
            DeliveryTimers.TripStop(left: carried, by: try Self.changed(carried, change))
        }
        for code in [StatusCode.delivered, .returning] {
            let left = try #require(try stop(.status(code, reason: nil)))
            #expect(left.courier == carried.courier?.id && left.stopsBefore == 2 && left.door == carried.door)
            #expect(DeliveryTimers.TripStop(left.text) == left)
        }
        let finn = Courier(id: try #require(CourierID(rawValue: "finn")), name: "Finn", vehicle: .bicycle, phone: nil)
        #expect(try stop(.courier(finn)) == nil && stop(.status(.arriving, reason: nil)) == nil)
        let byFinn = ProviderReport(
            source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "end", kind: "delivered",
            status: .delivered, courier: finn, occurredAt: carried.statusSince, receivedAt: carried.statusSince)
        #expect(try Self.changed(carried, .report(byFinn)).courier?.id == finn.id)
        #expect(try stop(.report(byFinn))?.courier == carried.courier?.id, "the former courier's next doors are nearer")
        for problem in CourierProblem.allCases {
            #expect(try (stop(.hold(reason: problem.reason)) == nil) == (problem == .vehicle), "\(problem)")
        }
        #expect(try stop(.hold(reason: "fraud check")) == nil, "the shop has set the trip")
        let there = try Self.changed(carried, .status(.atDoor, reason: nil))
        let attempted = try Self.changed(there, .status(.attempted, reason: nil))
        #expect(DeliveryTimers.TripStop(left: there, by: attempted)?.stopsBefore == 2)
        for code in [StatusCode.returning, .atDoor] {
            let next = try Self.changed(attempted, .status(code, reason: nil))
            #expect(DeliveryTimers.TripStop(left: attempted, by: next) == nil)
        }
        var waiting = try Delivery.sample()
        try waiting.change(.courier(finn, stopsBefore: 3))
        var cancelled = waiting
        try cancelled.change(.status(.cancelled, reason: "closed"))
        let left = try #require(DeliveryTimers.TripStop(left: waiting, by: cancelled))
        #expect(left.isCancelledInStore && left.stopsBefore == 3 && DeliveryTimers.TripStop(left.text) == left)
        var packed = waiting
        try packed.advance(to: .staged)
        #expect(DeliveryTimers.TripStop(left: waiting, by: packed) == nil)
        #expect(DeliveryTimers.TripStop("mira") == nil)
    }

    private static func changed(_ delivery: Delivery, _ change: DeliveryChange) throws -> Delivery {
        var next = delivery
        try next.change(change)
        return next
    }
}
