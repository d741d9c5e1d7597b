import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("A container is paused")
    struct PausedContainersScenario {
        /// Wall seconds that each is paused: longer than the timeout of its health check.
        private static let pause = Duration.seconds(8)

        @Test("Each container paused in the middle of ten deliveries", .timeLimit(.minutes(8)))
        func eachInTurn() async throws {
            try await runScenario("pause of each container") { simulation in
                let ended = try await simulation.runDeliveries {
                    try await eventually("one is being picked") { simulation.progress.count(.picking) >= 1 }
                    for group in simulation.stack.faultGroups {
                        for name in group { try await simulation.stack.pause(name) }
                        try await Task.sleep(for: Self.pause)
                        for name in group { try await simulation.stack.unpause(name) }
                    }
                }
                return ["paused for \(Self.pause) while orders flowed: \(simulation.stack.all.joined(separator: ", "))"]
                    + (try await simulation.expectInvariants(ended, mayMissWholeDeliveries: true))
            }
        }
    }
}
