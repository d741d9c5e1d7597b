import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("A service is killed")
    struct KilledServicesScenario {
        /// When each is killed: while some deliveries are in the store, some on the way, and some at the door.
        private static let plan: [(when: StatusCode, count: Int, service: ServiceName)] = [
            (.picking, 3, .orders), (.pickedUp, 2, .courierETA), (.pickedUp, 6, .dispatch), (.delivered, 2, .orders),
            (.delivered, 4, .courierETA), (.delivered, 6, .dispatch),
        ]

        @Test("Each service killed in the middle of ten deliveries loses nothing", .timeLimit(.minutes(4)))
        func eachInTurn() async throws {
            try await Simulation.run { simulation in
                let ended = try await simulation.runDeliveries {
                    for (status, count, service) in Self.plan {
                        try await eventually("\(count) are \(status)") { simulation.progress.count(status) >= count }
                        await simulation.stack.kill9(service)
                        try await simulation.stack.start(service)
                    }
                }
                try await simulation.expectEveryCardEnded(ended)
                try await simulation.expectNothingReappears()
            }
        }
    }
}
