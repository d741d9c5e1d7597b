import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("A container is off the network")
    struct NetworkPartitionScenario {
        /// Wall seconds that each is away.
        private static let absence = Duration.seconds(30)

        @Test(
            "Each container off the network for half a minute in the middle of ten deliveries", .timeLimit(.minutes(10))
        )
        func eachInTurn() async throws {
            // Slower, so that ten deliveries last as long as the outages.
            try await runScenario("each container off the network", rate: 6) { simulation in
                let ended = try await simulation.runDeliveries {
                    try await eventually("one is being picked") { simulation.progress.count(.picking) >= 1 }
                    for group in simulation.stack.faultGroups {
                        for name in group { try await simulation.stack.disconnect(name) }
                        try await Task.sleep(for: Self.absence)
                        for name in group { try await simulation.stack.reconnect(name) }
                    }
                }
                return ["off the network for \(Self.absence): \(simulation.stack.all.joined(separator: ", "))"]
                    + (try await simulation.expectInvariants(ended, mayMissWholeDeliveries: true))
            }
        }
    }
}
