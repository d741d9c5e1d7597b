import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("A standby is promoted")
    struct SwitchOverScenario {
        /// Wall seconds from the promotion to the next change that a shop makes.
        private static let writesWithin = 10.0

        @Test(
            "The primary killed and its standby promoted in the middle of ten deliveries loses nothing",
            .timeLimit(.minutes(4)))
        func promotion() async throws {
            try await Simulation.run(hasStandby: true) { simulation in
                let ended = try await simulation.runDeliveries {
                    let stack = simulation.stack
                    try await eventually("three are picked up") { simulation.progress.count(.pickedUp) >= 3 }
                    try await stack.postgres.kill9()
                    for service in ServiceName.messaging {
                        try await eventually("\(service.rawValue) is not ready without a server that takes writes") {
                            await RetryingClient.probe("\(stack.url(service))/health/ready") == 503
                        }
                    }
                    let standby = try #require(stack.standby)
                    try await standby.promote()
                    try await simulation.expectOrderIsPlaced(within: Self.writesWithin)
                    for service in ServiceName.messaging {
                        try await eventually("\(service.rawValue) is ready again") {
                            await RetryingClient.probe("\(stack.url(service))/health/ready") == 200
                        }
                    }
                }
                try await simulation.expectEveryCardEnded(ended)
            }
        }
    }
}
