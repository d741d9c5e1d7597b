import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("Orders from flags")
struct OrderArgumentTests {
    @Test(
        "An item may be counted",
        arguments: [("2x Oat milk", 2, "Oat milk"), ("12 × Eggs", 12, "Eggs"), ("7up", 1, "7up"), ("Milk", 1, "Milk")])
    func item(text: String, quantity: Int, name: String) throws {
        let line = try SimpleOrder.line(text, number: 3)
        #expect(line.quantity == quantity)
        #expect(line.name == name)
        #expect(line.id.rawValue == "item-3")
    }

    @Test("A place is latitude and longitude", arguments: ["55.7", "north,12", "95,12", "55.7;12.5", ""])
    func noPlace(text: String) {
        #expect(throws: CommandFailure.self) { try SimpleOrder.place(text) }
    }

    @Test("A simple order has one delivery, promised from now on")
    func simple() throws {
        let now = Date(timeIntervalSince1970: 1_795_280_400)
        let order = try SimpleOrder.parse([
            "--reference", "A-7", "--customer", "mette", "--door", "55.69, 12.57", "--item", "2x Milk", "--item", "Rye",
            "--in-minutes", "20", "--leave-at-door",
        ])
        let body = try order.body(now: now)
        #expect(body.deliveries.count == 1)
        #expect(body.deliveries[0].items.map(\.name) == ["Milk", "Rye"])
        #expect(body.promise.start == now.addingTimeInterval(1200))
        #expect(body.handoff?.method == .leaveAtDoor)
        #expect(order.isGiven)
    }

    @Test("What is missing is reported at once")
    func missing() throws {
        let order = try SimpleOrder.parse(["--reference", "A-7"])
        #expect(throws: CommandFailure.self) { try order.body(now: .distantPast) }
    }
}
