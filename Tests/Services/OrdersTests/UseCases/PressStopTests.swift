import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import SeededRandom
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Orders

@Suite("Presses on a courier's page", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PressStopTests {
    /// A delivery that its courier carries, and what they press about it.
    struct Round {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let id: DeliveryID
        let mira: CourierID
        let press: PressStop

        @discardableResult
        func press(_ action: CourierAction, id press: UUID = UUID(), held: Double = 0) async throws -> CourierPress {
            try await self.press(.init(id: press, delivery: id, action: action, heldSeconds: held), by: mira)
        }

        func delivery() async throws -> Delivery {
            try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
        }

        func state(of press: CourierPress) async throws -> CourierPress.State? {
            try await CourierPressRepository.press(press.id, on: orders.pool)?.state
        }

        /// Lets time pass, and what is due then happen.
        func pass(_ seconds: TimeInterval) async throws {
            orders.clock.advance(by: seconds)
            let runner = TimerRunner(
                pool: orders.pool, clock: orders.clock.domain, handlers: TimerHandlers(change: orders.change).handlers,
                logger: .silent)
            _ = try await runner.fireDue()
        }

        func timeline() async throws -> [TimelineEntry] { try await OrderRepository.timeline(id, on: orders.pool) }
    }

    func withRound(_ body: @escaping @Sendable (Round) async throws -> Void) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking, .staged], id, client)
            try await orders.assign("mira", id, client)
            try await body(
                Round(
                    orders: orders, client: client, id: id, mira: try #require(CourierID(rawValue: "mira")),
                    press: PressStop(change: orders.change)))
        }
    }

    @Test("A press counts after ten seconds, once, as the courier's")
    func counts() async throws {
        try await withRound { round in
            let press = try await round.press(.pickedUp)
            try await round.pass(9.9)
            #expect(try await round.delivery().status == .preparing(.staged, .assigned))
            try await round.pass(0.1)
            #expect(try await round.delivery().status == .handedOver(.pickedUp))
            #expect(try await round.state(of: press) == .done)
            try await round.pass(60)
            let entries = try await round.timeline().filter { $0.by == "courier mira" }
            #expect(entries.count == 1)
        }
    }

    @Test("Bags that are pressed at once count together, are undone together, and a repeat is the same press")
    func group() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await orders.place(client, try orders.body(bags: 2)).deliveries.map(\.id)
            for id in ids {
                try await orders.set([.accepted, .picking, .staged], id, client)
                try await orders.assign("mira", id, client)
            }
            let mira = try #require(CourierID(rawValue: "mira"))
            let round = Round(
                orders: orders, client: client, id: ids[0], mira: mira, press: PressStop(change: orders.change))
            func codes() async throws -> Set<StatusCode> {
                var codes: Set<StatusCode> = []
                for id in ids {
                    codes.insert(
                        try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery.status.code)
                }
                return codes
            }
            let undone = PressStop.GroupRequest(id: UUID(), deliveries: ids, action: .pickedUp)
            let presses = try await round.press(undone, by: mira)
            #expect(presses.count == 2 && presses.allSatisfy { $0.state == .waiting && $0.group == undone.id })
            #expect(try await round.press(undone, by: mira).map(\.id) == presses.map(\.id))
            for _ in 0..<2 { try await round.press.undo(undone.id, by: mira) }
            try await round.pass(10)
            #expect(try await codes() == [.staged])
            let counted = PressStop.GroupRequest(id: UUID(), deliveries: ids, action: .pickedUp)
            _ = try await round.press(counted, by: mira)
            try await round.pass(10)
            #expect(try await codes() == [.pickedUp])
            await #expect(throws: PressStop.Refusal.tooLate) { try await round.press.undo(counted.id, by: mira) }
        }
    }

    @Test("Of bags that are pressed at once, those apart for which it is not possible any more are pressed")
    func partOfGroup() async throws {
        try await withRound { round in
            let foreign = PressStop.GroupRequest(
                id: UUID(), deliveries: [round.id, DeliveryID(UUID())], action: .pickedUp)
            let pressed = try await round.press(foreign, by: round.mira)
            #expect(pressed.map(\.delivery) == [round.id])
            let none = PressStop.GroupRequest(id: UUID(), deliveries: [round.id], action: .broughtBack)
            await #expect(throws: PressStop.Refusal.self) { try await round.press(none, by: round.mira) }
        }
    }

    @Test("What a press changes at once is published at once, of one bag and of several")
    func published() async throws {
        try await withRound { round in
            let wakes = Atomic(0)
            let press = PressStop(change: round.orders.change) { wakes.add(1, ordering: .relaxed) }
            let single = PressStop.Request(id: UUID(), delivery: round.id, action: .pickedUp, heldSeconds: 10)
            _ = try await press(single, by: round.mira)
            #expect(wakes.load(ordering: .relaxed) == 1)
            let group = PressStop.GroupRequest(
                id: UUID(), deliveries: [round.id], action: .handedOver, heldSeconds: 10)
            _ = try await press(group, by: round.mira)
            #expect(wakes.load(ordering: .relaxed) == 2)
            let waiting = PressStop.Request(id: UUID(), delivery: round.id, action: .mistaken)
            _ = try await press(waiting, by: round.mira)
            #expect(wakes.load(ordering: .relaxed) == 2, "nothing has changed yet")
        }
    }

    @Test("A bag with something to check at the door is left out of a hand-over of several")
    func checkedGroup() async throws {
        try await OrdersUnderTest.run { orders, client in
            let mira = try #require(CourierID(rawValue: "mira"))
            var ids: [DeliveryID] = []
            for verification in [HandoffVerification.none, .pin] {
                var body = try orders.body(reference: "G-\(verification)")
                body.handoff = Handoff(method: .handToCustomer, verification: verification)
                ids.append(try await orders.place(client, body).deliveries[0].id)
            }
            for id in ids {
                try await orders.assign("mira", id, client)
                try await orders.set([.accepted, .picking, .staged, .pickedUp, .enRoute, .atDoor], id, client)
            }
            let press = PressStop(change: orders.change)
            let all = PressStop.GroupRequest(id: UUID(), deliveries: ids, action: .handedOver)
            #expect(try await press(all, by: mira).map(\.delivery) == [ids[0]])
            let checked = PressStop.GroupRequest(id: UUID(), deliveries: [ids[1]], action: .handedOver)
            let missing = PressStop.Refusal.proofMissing([.pin])
            await #expect(throws: missing) { try await press(checked, by: mira) }
            let single = PressStop.Request(id: UUID(), delivery: ids[1], action: .handedOver)
            await #expect(throws: missing) { try await press(single, by: mira) }
            _ = try await orders.change(ids[1], .pin(isRight: true), by: Principal(.courier(mira)))
            await #expect(throws: PressStop.Refusal.notPossible(.atDoor)) { try await press(checked, by: mira) }
            #expect(try await press(single, by: mira).state == .waiting)
        }
    }

    @Test("What is undone in time never counts; what counts cannot be undone")
    func undone() async throws {
        try await withRound { round in
            let press = try await round.press(.pickedUp)
            for _ in 0..<2 { try await round.press.undo(press.id, by: round.mira) }
            try await round.pass(60)
            #expect(try await round.delivery().status == .preparing(.staged, .assigned))
            let second = try await round.press(.pickedUp)
            try await round.pass(10)
            await #expect(throws: PressStop.Refusal.tooLate) { try await round.press.undo(second.id, by: round.mira) }
            #expect(try await round.delivery().status == .handedOver(.pickedUp))
        }
    }

    @Test("The next press about a delivery has the former one count at once")
    func next() async throws {
        try await withRound { round in
            let first = try await round.press(.pickedUp)
            let second = try await round.press(.atDoor)
            #expect(try await round.state(of: first) == .done)
            #expect(try await round.state(of: second) == .waiting)
            #expect(try await round.delivery().status == .handedOver(.pickedUp))
            try await round.press(.handedOver)
            try await round.pass(10)
            #expect(try await round.delivery().status == .handedOver(.delivered))
        }
    }

    @Test("A press that was kept without a connection for its ten seconds counts as it arrives")
    func held() async throws {
        try await withRound { round in
            let press = try await round.press(.pickedUp, held: 10)
            #expect(press.state == .done)
            #expect(try await round.delivery().status == .handedOver(.pickedUp))
        }
    }

    @Test("A press that is sent again, at once or later, is the same press")
    func repeated() async throws {
        try await withRound { round in
            let id = UUID()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await round.press(.pickedUp, id: id) } }
                try await group.waitForAll()
            }
            try await round.pass(10)
            let again = try await round.press(.pickedUp, id: id)
            #expect(again.state == .done)
            try await round.pass(10)
            #expect(try await round.timeline().count { $0.by == "courier mira" } == 1)
        }
    }

    @Test("What the delivery is already counts at once, and changes nothing")
    func already() async throws {
        try await withRound { round in
            let waiting = try await round.press(.pickedUp)
            try await round.orders.set(.pickedUp, round.id, round.client)
            try await round.pass(10)
            #expect(try await round.state(of: waiting) == .done)
            let again = try await round.press(.pickedUp)
            #expect(again.state == .done)
            #expect(try await round.timeline().allSatisfy { $0.by != "courier mira" })
        }
    }

    @Test("An id is one press's: with another action it is refused, for another delivery too")
    func reused() async throws {
        try await withRound { round in
            let id = UUID()
            try await round.press(.pickedUp, id: id)
            await #expect(throws: PressStop.Refusal.anotherPress) { try await round.press(.atDoor, id: id) }
            await #expect(throws: PressStop.Refusal.notTheirs) {
                try await round.press(
                    .init(id: id, delivery: DeliveryID(UUID()), action: .pickedUp), by: round.mira)
            }
        }
    }

    @Test("What is not possible now, or not theirs, is refused, and what waited waits still")
    func refused() async throws {
        try await withRound { round in
            await #expect(throws: PressStop.Refusal.notPossible(.staged)) { try await round.press(.handedOver) }
            let waiting = try await round.press(.pickedUp)
            await #expect(throws: PressStop.Refusal.notPossible(.pickedUp)) { try await round.press(.broughtBack) }
            #expect(try await round.state(of: waiting) == .waiting)
            let other = try #require(CourierID(rawValue: "jonas"))
            await #expect(throws: PressStop.Refusal.notTheirs) {
                try await round.press(.init(id: UUID(), delivery: round.id, action: .atDoor), by: other)
            }
            await #expect(throws: PressStop.Refusal.notTheirs) { try await round.press.undo(waiting.id, by: other) }
            await #expect(throws: PressStop.Refusal.notTheirs) {
                try await round.press(.init(id: UUID(), delivery: DeliveryID(UUID()), action: .atDoor), by: round.mira)
            }
        }
    }

    @Test("A press is not carried out where the delivery went elsewhere before it was due")
    func overtaken() async throws {
        try await withRound { round in
            for action in [CourierAction.pickedUp, .atDoor] { try await round.press(action, held: 10) }
            let press = try await round.press(.nobodyHome)
            try await round.orders.set(.delivered, round.id, round.client)
            try await round.pass(10)
            #expect(try await round.state(of: press) == .refused)
            #expect(try await round.delivery().status == .handedOver(.delivered))
        }
    }

    @Test("Undoing and its ten seconds' end at once: it counts or it does not, and the answer says which")
    func race() async throws {
        try await withRound { round in
            for _ in 0..<10 {
                let press = try await round.press(.problem(.vehicle))
                async let due: Void = round.pass(10)
                let isUndone: Bool
                do {
                    try await round.press.undo(press.id, by: round.mira)
                    isUndone = true
                } catch PressStop.Refusal.tooLate {
                    isUndone = false
                }
                try await due
                try await round.pass(60)
                #expect(try await round.state(of: press) == (isUndone ? .undone : .done))
                #expect(try await round.delivery().flags.contains(.onHold) == !isUndone)
                if !isUndone { try await round.press(.solved, held: 10) }
            }
        }
    }

    @Test("Whatever is pressed, undone, repeated and waited for: each press counts once or never", arguments: 0..<6)
    func random(seed: UInt64) async throws {
        try await withRound { round in
            var random = SeededGenerator(seed: seed)
            var taken: [CourierPress] = []
            for _ in 0..<60 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let action = CourierAction.all[Int.random(in: 0..<CourierAction.all.count, using: &random)]
                    let held = Double(Int.random(in: 0...10, using: &random))
                    if let press = try? await round.press(action, held: held) { taken.append(press) }
                case 5:
                    if let press = taken.last { try? await round.press.undo(press.id, by: round.mira) }
                case 6:
                    if let press = taken.randomElement(using: &random) {
                        try await round.press(press.action, id: press.id)
                    }
                default: try await round.pass(TimeInterval(Int.random(in: 0..<8, using: &random)))
                }
            }
            try await round.pass(10)
            var done = 0
            for press in taken {
                let state = try #require(try await round.state(of: press))
                #expect(state == .done || state == .undone)
                done += state == .done ? 1 : 0
            }
            // What was so already counted without a change.
            #expect(try await round.timeline().count { $0.by == "courier mira" } <= done)
            #expect(try await round.orders.timers().allSatisfy { $0 != DeliveryTimers.courierPress })
        }
    }
}
