import DomainTime
package import DoorstepAPI
import Foundation
import NIOHTTP1
package import OrderDomain
import Testing
import WireCoding

/// A stack with customers who have ordered, their deliveries under way, and their devices.
///
/// Ten deliveries unless told otherwise, each a little behind the one before, so that whatever is done to the stack
/// finds some in the store, some on the road and some at the door.
package final class Town<Stack: TownStack>: Sendable {
    /// What one customer orders at once: bags that end in their own ways.
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
    package let watchers: [Watcher]
    private let baskets: [Basket]
    /// Domain seconds between two orders.
    private let spacing: Double

    /// A town without anybody in it yet; its devices follow once somebody runs them.
    package init(_ stack: Stack, baskets: [Basket], spacing: Double) async throws {
        self.stack = stack
        self.baskets = baskets
        self.spacing = spacing
        var watchers: [Watcher] = []
        for customer in Set(baskets.map(\.customer)).sorted() {
            watchers.append(try await Watcher(customer, device: "\(customer)-phone", stack: stack))
        }
        // One customer with two devices: each has its own card of the same delivery.
        if let last = baskets.last {
            watchers.append(try await Watcher(last.customer, device: "\(last.customer)-tablet", stack: stack))
        }
        self.watchers = watchers
    }

    /// Tells a story in a stack that runs, with devices that watch, and stops the stack, whatever happens.
    package static func live(
        in stack: Stack, _ baskets: [Basket] = ten, spacing: Double = 20, _ story: (Town) async throws -> Void
    ) async throws {
        do {
            let town = try await Town(stack, baskets: baskets, spacing: spacing)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for watcher in town.watchers { group.addTask { await watcher.run() } }
                try await story(town)
                group.cancelAll()
            }
        } catch {
            Issue.record("the services said:\n\(await stack.complaints)")
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    // MARK: What happens in it

    /// Places every order and takes every delivery to its end, while `meanwhile` does what it does to the stack.
    ///
    /// - Returns: the deliveries as `orders` has them in the end.
    package func liveThrough(_ meanwhile: @escaping @Sendable () async throws -> Void = {}) async throws -> [Ended] {
        try await withThrowingTaskGroup(of: [Ended].self) { group in
            let opening = stack.clock.now
            var number = 0
            for (index, basket) in baskets.enumerated() {
                let first = number
                number += basket.endings.count
                group.addTask { [stack, spacing] in
                    try await stack.clock.sleep(until: opening.addingTimeInterval(Double(index) * spacing))
                    return try await self.liveThrough(basket, first: first)
                }
            }
            group.addTask {
                try await meanwhile()
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func liveThrough(_ basket: Basket, first: Int) async throws -> [Ended] {
        let order = try await place(basket, number: first, routes: basket.endings.indices.map { .ours(first + $0) })
        return try await withThrowingTaskGroup(of: Ended.self) { group in
            for (index, delivery) in order.deliveries.enumerated() {
                let ending = basket.endings[index]
                let run = run(
                    delivery, courier: "courier-\(first + index)", route: .ours(first + index), ending: ending)
                group.addTask {
                    try await run()
                    return try await self.ended(delivery.id, ending)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    package func run(_ delivery: DeliveryBody, courier: String, route: Route, ending: Ending) -> Run {
        Run(stack: stack, id: delivery.id, courier: courier, route: route, ending: ending, progress: progress)
    }

    /// Places an order, with the same key until it is acknowledged.
    package func place(_ basket: Basket, number: Int, routes: [Route]) async throws -> OrderBody {
        let order: OrderBody = try await Caller(stack: stack, token: stack.tokens.store).send(
            .POST, .orders, "/v1/orders", body(of: basket, number: number, routes: routes),
            headers: ["Idempotency-Key": "order-\(number)"])
        progress.note(.placed)
        return order
    }

    /// Asks once for an order to be placed.
    ///
    /// - Returns: the order, or the answer's status and words where there is none.
    package func tryToPlace(_ basket: Basket, number: Int) async throws -> (order: OrderBody?, words: String) {
        let (status, answer) = try await Caller(stack: stack, token: stack.tokens.store).once(
            .POST, .orders, "/v1/orders", try WireJSON.encode(body(of: basket, number: number, routes: [.ours(0)])),
            headers: ["Idempotency-Key": "order-\(number)"])
        let words = "\(status) \(String(decoding: answer, as: UTF8.self))"
        return ((200..<300).contains(status) ? try WireJSON.decode(OrderBody.self, from: answer) : nil, words)
    }

    private func body(of basket: Basket, number: Int, routes: [Route]) -> PlaceOrderBody {
        let now = stack.clock.now
        guard let customer = CustomerID(rawValue: basket.customer), let store = StoreID(rawValue: "nordhavn"),
            let item = ItemID(rawValue: "item-1"), let route = routes.first,
            let promise = Promise(start: now.addingTimeInterval(1_200), end: now.addingTimeInterval(4_800))
        else { preconditionFailure("an order of ours is in order") }
        return PlaceOrderBody(
            reference: "A-\(number)", customer: customer,
            store: Store(id: store, name: "Nordhavn", location: route.store, timeZone: "Europe/Copenhagen"),
            promise: promise, door: route.door, handoff: nil,
            deliveries: routes.map { _ in .init(items: [.init(id: item, name: "Oat milk", quantity: 2)]) })
    }

    /// A delivery that has ended as it should.
    package struct Ended: Sendable {
        package let delivery: DeliveryBody
        package let ending: Ending
    }

    package func ended(_ id: DeliveryID, _ ending: Ending) async throws -> Ended {
        let body: DeliveryBody = try await Caller(stack: stack, token: stack.tokens.operator).get(
            .orders, "/v1/deliveries/\(id)")
        return Ended(delivery: body, ending: ending)
    }

    package func watchers(of customer: String) -> [Watcher] { watchers.filter { $0.customer == customer } }

    /// Every screen's whole history, for a failure to be understood by.
    package var story: String {
        get async {
            var text = ""
            for watcher in watchers { text += "\(watcher.device):\n\(await watcher.screen.story)\n" }
            return text
        }
    }
}
