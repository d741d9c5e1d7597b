import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import SeededRandom
import SimulationSupport

/// One of a customer's places for a delivery: an order, what happens to it until its end and after, and the next order.
struct Customer: Sendable {
    let name: String
    /// Of all places for deliveries of the run.
    let number: Int
    let shop: Shop
    /// One of which brings some of the orders.
    let providers: [ProviderAccount]
    var random: SeededGenerator
    private var orderCount = 0

    init(name: String, number: Int, shop: Shop, providers: [ProviderAccount], seed: UInt64) {
        self.name = name
        self.number = number
        self.shop = shop
        self.providers = providers
        random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(number))
    }

    /// Orders until the run has ended.
    mutating func run() async throws {
        // Not all at once.
        try await pause(0...4)
        while true {
            orderCount += 1
            let count = random.once(in: 5) ? 2 : 1
            let order = try await shop.place(body(deliveries: count))
            if random.once(in: 5), let delivery = order.deliveries.first {
                try await bring(delivery.id)
                continue
            }
            // Both of an order are driven at the same time.
            let drives = order.deliveries.enumerated().map { index, delivery in
                Drive(
                    delivery: delivery.id, courier: "courier-\(number)-\(index)", route: .synthetic(number), shop: shop,
                    random: SeededGenerator(seed: random.next()))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for drive in drives {
                    group.addTask {
                        var drive = drive
                        try await drive.run()
                    }
                }
                try await group.waitForAll()
            }
            try await pause(0...2)
        }
    }

    /// Has a provider bring a delivery.
    private mutating func bring(_ delivery: DeliveryID) async throws {
        let account = providers[Int.random(in: 0..<providers.count, using: &random)]
        let isNamedLate = random.once(in: 2)
        var drive = ProviderDrive(
            delivery: ProviderDelivery(
                delivery, by: account, isNamedLate: isNamedLate, now: shop.stack.clock.now, using: &random),
            shop: shop, random: SeededGenerator(seed: random.next()))
        try await drive.run()
    }

    private mutating func pause(_ seconds: ClosedRange<Double>) async throws {
        try await Task.sleep(for: .seconds(.random(in: seconds, using: &random)))
    }

    private func body(deliveries: Int) -> PlaceOrderBody {
        let now = shop.stack.clock.now
        let route = Route.synthetic(number)
        guard let customer = CustomerID(rawValue: name), let store = StoreID(rawValue: "nordhavn"),
            let milk = ItemID(rawValue: "item-1"), let bread = ItemID(rawValue: "item-2"),
            let promise = Promise(start: now.addingTimeInterval(1_200), end: now.addingTimeInterval(4_800))
        else { preconditionFailure("the run's own orders are valid") }
        return PlaceOrderBody(
            reference: "F-\(number)-\(orderCount)", customer: customer,
            store: Store(id: store, name: "Nordhavn", location: route.store, timeZone: "Europe/Copenhagen"),
            promise: promise, door: route.door, handoff: nil,
            deliveries: (0..<deliveries).map { _ in
                .init(items: [
                    .init(id: milk, name: "Oat milk", quantity: 2), .init(id: bread, name: "Bread", quantity: 1),
                ])
            })
    }
}
