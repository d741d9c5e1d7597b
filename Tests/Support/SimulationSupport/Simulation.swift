import DomainTime
package import DoorstepAPI
package import Foundation
import NIOHTTP1
package import OrderDomain
import Testing
import WireCoding

/// A stack with customers who have ordered, their deliveries under way, and their devices.
///
/// Ten deliveries by default, each started a little after the one before, so that a fault
/// finds some in the store, some on the way and some at the door.
package final class Simulation<Stack: StackUnderTest>: Sendable {
    /// One order of a customer: its deliveries, by how each ends.
    package struct Basket: Sendable {
        package let customer: String
        package let endings: [Ending]

        package init(customer: String, endings: [Ending]) {
            self.customer = customer
            self.endings = endings
        }
    }

    /// Ten deliveries of six customers; the first has three, so that a summary stands above them.
    package static var ten: [Basket] {
        [
            Basket(customer: "mette", endings: [.delivered, .delivered]),
            Basket(customer: "mette", endings: [.delivered]),
            Basket(customer: "jonas", endings: [.delivered]), Basket(customer: "jonas", endings: [.returned]),
            Basket(customer: "aya", endings: [.delivered]), Basket(customer: "aya", endings: [.delivered]),
            Basket(customer: "lars", endings: [.cancelled]), Basket(customer: "nina", endings: [.delivered]),
            Basket(customer: "omar", endings: [.delivered]),
        ]
    }

    package let stack: Stack
    package let progress = Progress()
    package let devices: [SimulatedDevice]
    let baskets: [Basket]
    /// Domain seconds between two orders.
    private let spacing: Double

    /// Creates the devices; they connect once `SimulatedDevice.run` is called on each.
    package init(_ stack: Stack, baskets: [Basket], spacing: Double) async throws {
        self.stack = stack
        self.baskets = baskets
        self.spacing = spacing
        var devices: [SimulatedDevice] = []
        for customer in Set(baskets.map(\.customer)).sorted() {
            devices.append(try await SimulatedDevice(customer, id: "\(customer)-phone", stack: stack))
        }
        // One customer with two devices: each has its own card of the same delivery.
        if let last = baskets.last {
            devices.append(try await SimulatedDevice(last.customer, id: "\(last.customer)-tablet", stack: stack))
        }
        self.devices = devices
    }

    /// Runs a scenario with its devices in a stack that is up, and stops the stack, also after an error.
    package static func run(
        in stack: Stack, _ baskets: [Basket] = ten, spacing: Double = 20, _ scenario: (Simulation) async throws -> Void
    ) async throws {
        try await stack.whileUp {
            try await Simulation(stack, baskets: baskets, spacing: spacing).whileDevicesRun(scenario)
        }
    }

    /// Runs a scenario with the devices, and leaves the stack up.
    package func whileDevicesRun(_ scenario: (Simulation) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices { group.addTask { await device.run() } }
            try await scenario(self)
            group.cancelAll()
        }
    }

    // MARK: Driving it

    /// Places every order and drives every delivery to its end, while `faults` runs against the stack.
    ///
    /// - Parameter beforeHandOver: runs before the courier of each delivery of a basket reports being at the door; a
    ///   scenario may wait here.
    /// - Returns: the deliveries as `orders` has them in the end.
    package func runDeliveries(
        _ faults: @escaping @Sendable () async throws -> Void = {},
        beforeHandOver: @escaping @Sendable (Basket) async throws -> Void = { _ in }
    ) async throws -> [Ended] {
        try await withThrowingTaskGroup(of: [Ended].self) { group in
            let opening = stack.clock.now
            var number = 0
            for (index, basket) in baskets.enumerated() {
                let first = number
                number += basket.endings.count
                group.addTask { [stack, spacing] in
                    try await stack.clock.sleep(until: opening.addingTimeInterval(Double(index) * spacing))
                    return try await self.runDeliveries(basket, first: first, beforeHandOver: beforeHandOver)
                }
            }
            group.addTask {
                try await faults()
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func runDeliveries(
        _ basket: Basket, first: Int, beforeHandOver: @escaping @Sendable (Basket) async throws -> Void
    ) async throws -> [Ended] {
        let order = try await place(
            basket, number: first, routes: basket.endings.indices.map { .synthetic(first + $0) })
        return try await withThrowingTaskGroup(of: Ended.self) { group in
            for (index, delivery) in order.deliveries.enumerated() {
                let ending = basket.endings[index]
                var run = deliveryRun(
                    delivery, courier: "courier-\(first + index)", route: .synthetic(first + index), ending: ending)
                run.beforeHandOver = { try await beforeHandOver(basket) }
                group.addTask { [run] in
                    try await run()
                    return try await self.ended(delivery.id, ending)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    package func deliveryRun(_ delivery: DeliveryBody, courier: String, route: Route, ending: Ending) -> DeliveryRun {
        DeliveryRun(stack: stack, id: delivery.id, courier: courier, route: route, ending: ending, progress: progress)
    }

    /// Places an order; retries use the same idempotency key.
    package func place(_ basket: Basket, number: Int, routes: [Route]) async throws -> OrderBody {
        let order: OrderBody = try await stack.asStore.send(
            .POST, .orders, "/v1/orders", body(of: basket, number: number, routes: routes, at: stack.clock.now),
            headers: ["Idempotency-Key": "order-\(number)"])
        progress.record(.placed)
        return order
    }

    /// Places an order of one delivery, which is driven by the run that is returned.
    package func placeRun(
        _ basket: Basket, number: Int, courier: String = "mira", along route: Route? = nil
    ) async throws -> DeliveryRun {
        let route = route ?? .synthetic(number)
        let order = try await place(basket, number: number, routes: [route])
        return deliveryRun(
            try #require(order.deliveries.first), courier: courier, route: route, ending: basket.endings[0])
    }

    /// Tries once to place an order.
    ///
    /// - Parameter now: domain time of the first try, which gives a repeat the same body; nil is the present.
    /// - Returns: the order, or nil with the status and body of the response, if there was one.
    package func tryToPlace(
        _ basket: Basket, number: Int, at now: Date? = nil
    ) async throws -> (order: OrderBody?, response: String) {
        let body = body(of: basket, number: number, routes: [.synthetic(0)], at: now ?? stack.clock.now)
        guard
            let (status, answer) = try await stack.asStore.once(
                .POST, .orders, "/v1/orders", try WireJSON.encode(body),
                headers: ["Idempotency-Key": "order-\(number)"])
        else { return (nil, "no response") }
        let response = "\(status) \(String(decoding: answer, as: UTF8.self))"
        return ((200..<300).contains(status) ? try WireJSON.decode(OrderBody.self, from: answer) : nil, response)
    }

    /// Its full stop is in no link, and it is long enough to be in no hexadecimal text by chance: what is erased is
    /// searched for by it.
    private static func reference(of number: Int) -> String { "A.\(1_000 + number)" }

    private func body(of basket: Basket, number: Int, routes: [Route], at now: Date) -> PlaceOrderBody {
        guard let customer = CustomerID(rawValue: basket.customer), let store = StoreID(rawValue: "nordhavn"),
            let item = ItemID(rawValue: "item-1"), let route = routes.first,
            let promise = Promise(start: now.addingTimeInterval(1_200), end: now.addingTimeInterval(4_800))
        else { preconditionFailure("the simulation's own order is valid") }
        return PlaceOrderBody(
            reference: Self.reference(of: number), customer: customer,
            store: Store(id: store, name: "Nordhavn", location: route.store, timeZone: "Europe/Copenhagen"),
            promise: promise, door: route.door, handoff: nil,
            deliveries: routes.map { _ in .init(items: [.init(id: item, name: "Oat milk", quantity: 2)]) })
    }

    /// A delivery at its end, with the ending that the scenario gave it.
    package struct Ended: Sendable {
        package let delivery: DeliveryBody
        package let ending: Ending
    }

    package func ended(_ id: DeliveryID, _ ending: Ending) async throws -> Ended {
        let body: DeliveryBody = try await stack.asOperator.get(
            .orders, "/v1/deliveries/\(id)")
        return Ended(delivery: body, ending: ending)
    }

    package func devices(of customer: String) -> [SimulatedDevice] { devices.filter { $0.customer == customer } }

    /// Every push that every device has received, to explain a failure with.
    package var screenLog: String {
        get async {
            var text = ""
            for device in devices { text += "\(device.id):\n\(await device.screen.log)\n" }
            return text
        }
    }
}
