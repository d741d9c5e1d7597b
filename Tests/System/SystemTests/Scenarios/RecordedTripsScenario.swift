import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("Recorded trips")
    struct RecordedTripsScenario {
        @Test("A recorded trip shows an arrival, then arriving, and ends", .timeLimit(.minutes(4)))
        func replayed() async throws {
            let routes: [Route]
            if let folder = RecordedTrips.folder {
                routes = try RecordedTrips.three(in: folder)
                try #require(routes.count == 3, "there are three trips of the kinds the test needs")
            } else {
                routes = (0..<3).map(Route.synthetic)
            }
            let baskets = routes.indices.map { Simulation.Basket(customer: "customer-\($0)", endings: [.delivered]) }
            try await Simulation.run(baskets, rate: 90) { simulation in
                let ended = try await withThrowingTaskGroup(of: Simulation.Ended.self) { group in
                    for (number, (basket, route)) in zip(baskets, routes).enumerated() {
                        group.addTask { try await Self.ride(basket, along: route, number: number, in: simulation) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try await simulation.expectEveryCardEnded(ended)
                for one in ended {
                    for device in simulation.devices(of: try #require(one.delivery.customer).rawValue) {
                        let card = try #require(await device.screen.cards(of: one.delivery.id.rawValue).first)
                        #expect(
                            card.pushes.contains { $0.content.courier != nil && $0.content.arrival != nil },
                            "an arrival is shown: \(card.log)")
                    }
                }
            }
        }

        /// The order's store and door are the ends of the trip.
        private static func ride(
            _ basket: Simulation.Basket, along route: Route, number: Int, in simulation: Simulation
        ) async throws -> Simulation.Ended {
            var run = try await simulation.placeRun(
                basket, number: number, courier: "rider-\(number)", along: route)
            let delivery = run.id
            run.beforeHandOver = {
                for device in simulation.devices(of: basket.customer) {
                    try await eventually("\(device.id) shows arriving", explain: { await simulation.screenLog }) {
                        await device.screen.cards(of: delivery.rawValue).contains { $0.hasShown(.arriving) }
                    }
                }
            }
            try await run.prepare()
            try await run.report(.pickedUp)
            try await run.ride()
            return try await simulation.ended(delivery, .delivered)
        }
    }
}
