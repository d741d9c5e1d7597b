import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import Testing
import TownSupport

extension SystemTests {
    @Suite("Recorded rides")
    struct RidesStory {
        @Test("A ride as it was ridden shows an arrival, then arriving, and ends", .timeLimit(.minutes(4)))
        func asRidden() async throws {
            let routes: [Route]
            if let folder = RecordedRides.folder {
                routes = try RecordedRides.three(in: folder)
                try #require(routes.count == 3, "there are three rides of the kinds we look for")
            } else {
                routes = (0..<3).map(Route.ours)
            }
            let baskets = routes.indices.map { Town.Basket(customer: "customer-\($0)", endings: [.delivered]) }
            try await Town.live(baskets, rate: 90) { town in
                let ended = try await withThrowingTaskGroup(of: Town.Ended.self) { group in
                    for (number, (basket, route)) in zip(baskets, routes).enumerated() {
                        group.addTask { try await Self.ride(basket, along: route, number: number, in: town) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try await town.everyCardEndsRight(ended)
                for one in ended {
                    for watcher in town.watchers(of: one.delivery.customer.rawValue) {
                        let card = try #require(await watcher.screen.cards(of: one.delivery.id.rawValue).first)
                        #expect(
                            card.pushes.contains { $0.content.courier != nil && $0.content.arrival != nil },
                            "an arrival is shown: \(card.story)")
                    }
                }
            }
        }

        /// The order's store and door are the ride's ends.
        private static func ride(
            _ basket: Town.Basket, along route: Route, number: Int, in town: Town
        ) async throws -> Town.Ended {
            let order = try await town.place(basket, number: number, routes: [route])
            let delivery = try #require(order.deliveries.first)
            var run = town.run(delivery, courier: "rider-\(number)", route: route, ending: .delivered)
            run.beforeDoor = {
                for watcher in town.watchers(of: basket.customer) {
                    try await eventually("\(watcher.device) shows arriving", explain: { await town.story }) {
                        await watcher.screen.cards(of: delivery.id.rawValue).contains { $0.hasShown(.arriving) }
                    }
                }
            }
            try await run.prepare()
            try await run.press(.pickedUp)
            try await run.ride()
            return try await town.ended(delivery.id, .delivered)
        }
    }
}
