import DomainTime
import DoorstepAPI
import Foundation
import HummingbirdTesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import Orders

extension TimerHandlersTests {
    @Test("A stop without a hand-over counts no more before the doors behind it, and its end changes nothing more")
    func attempted() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2])
            for code in [StatusCode.atDoor, .attempted, .returning, .returned] {
                try await orders.set(code, ids[0], client)
                try await Self.advanceTrips(orders)
                #expect(try await Self.stops(ids, orders) == (code == .atDoor ? [0, 1, 2] : [0, 0, 1]), "\(code)")
            }
        }
    }

    @Test("A stop that is handed over by the courier's word counts no more, and its confirmation changes nothing more")
    func handedOverByWord() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(
                orders, client, stops: [0, 1, 2], haveOwnDoors: true, requires: [.photo])
            try await orders.set(.atDoor, ids[0], client)
            let steps: [(DeliveryChange, Principal)] = [
                (.handedOverUnconfirmed, Principal(.courier(try #require(CourierID(rawValue: "mira"))))),
                (.override(.delivered, reason: "the customer called"), Principal(.operator("ada"))),
            ]
            for (change, author) in steps {
                _ = try await orders.change(ids[0], change, by: author)
                try await Self.advanceTrips(orders)
                #expect(try await Self.stops(ids, orders) == [0, 0, 1])
            }
        }
    }

    @Test("An attempted delivery that is tried again is before the doors with higher numbers")
    func triedAgain() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2], haveOwnDoors: true)
            let steps: [(Int, [StatusCode], [Int])] = [
                (0, [.atDoor, .attempted], [0, 0, 1]), (0, [.atDoor], [0, 0, 1]), (1, [.delivered], [0, 0, 1]),
                (0, [.delivered], [0, 0, 0]),
            ]
            for (done, codes, left) in steps {
                for code in codes { try await orders.set(code, ids[done], client) }
                try await Self.advanceTrips(orders)
                #expect(try await Self.stops(ids, orders) == left)
            }
        }
    }

    @Test(
        "A courier's press about a stop leaves it for the next one; with a broken vehicle there is none",
        arguments: [
            (CourierProblem.noAccess, [0, 0, 1]), (CourierProblem.unsafe, [0, 0, 1]),
            (CourierProblem.vehicle, [0, 1, 2]),
        ])
    func pressedProblem(problem: CourierProblem, expected: [Int]) async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2])
            let press = PressStop(change: orders.change)
            let mira = try #require(CourierID(rawValue: "mira"))
            // The page sends the press once it can no longer be undone, so it is executed at once.
            let request = PressStop.Request(
                id: UUID(), delivery: ids[0], action: .problem(problem), heldSeconds: CourierPress.undoSeconds)
            #expect(try await press(request, by: mira).state == .done)
            try await Self.advanceTrips(orders)
            #expect(try await Self.stops(ids, orders) == expected)
        }
    }

    @Test("A stop that its courier left for a reported problem stays left when an operator gives another reason")
    func anotherReason() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2], haveOwnDoors: true)
            let ada = Principal(.operator("ada"))
            for (reason, expected) in [(CourierProblem.noAccess.reason, [0, 0, 1]), ("calling", [0, 0, 1])] {
                _ = try await orders.change(ids[0], .hold(reason: reason), by: ada)
                try await Self.advanceTrips(orders)
                #expect(try await Self.stops(ids, orders) == expected)
            }
            try await orders.set(.delivered, ids[1], client)
            try await Self.advanceTrips(orders)
            #expect(try await Self.stops(ids, orders) == [0, 0, 0])
        }
    }

    @Test("A delivery that goes on after its end, and is done again, moves none before a door that is still ahead")
    func doneTwice() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2], haveOwnDoors: true)
            try await orders.set(.delivered, ids[0], client)
            try await Self.advanceTrips(orders)
            #expect(try await Self.stops(ids, orders) == [0, 0, 1])
            let reopening = DeliveryChange.override(.enRoute, reason: "a wrong press")
            _ = try await orders.change(ids[0], reopening, by: Principal(.operator("ada")))
            for (done, third) in [(0, 1), (1, 0)] {
                try await orders.set(.delivered, ids[done], client)
                try await Self.advanceTrips(orders)
                #expect(try await Self.stops(ids, orders) == [0, 0, third])
            }
        }
    }

    @Test("A delivery that was added without a number is before the others until it is done")
    func addedToTrip() async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1, 2, 0], haveOwnDoors: true)
            for (done, left) in [(0, [0, 1, 2, 0]), (3, [0, 0, 1, 0]), (1, [0, 0, 0, 0])] {
                try await orders.set(.delivered, ids[done], client)
                try await Self.advanceTrips(orders)
                #expect(try await Self.stops(ids, orders) == left)
            }
        }
    }

    @Test(
        "What is still in the store counts on with what is carried, or has numbers of its own, which stay",
        arguments: [([2, 3], [1, 2]), ([0, 1], [0, 1])])
    func nextTrip(inStore: [Int], expected: [Int]) async throws {
        try await OrdersUnderTest.run { orders, client in
            let ids = try await Self.carried(orders, client, stops: [0, 1], inStore: inStore, haveOwnDoors: true)
            try await orders.set(.delivered, ids[0], client)
            try await Self.advanceTrips(orders)
            #expect(try await Self.stops(ids, orders) == [0, 0] + expected)
        }
    }

    /// Executes the timers of the stops that are done.
    private static func advanceTrips(_ orders: OrdersUnderTest) async throws {
        orders.clock.advance(by: 1)
        let handlers = TimerHandlers(change: orders.change).handlers.filter { $0.key == DeliveryTimers.tripAdvance }
        let runner = TimerRunner(
            pool: orders.pool, clock: orders.clock.domain, handlers: handlers, logger: .silent)
        try await runner.fireDue()
    }
}
