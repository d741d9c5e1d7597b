import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("A container is killed")
    struct KilledContainersScenario {
        @Test("Each container killed and started again in the middle of ten deliveries", .timeLimit(.minutes(6)))
        func eachInTurn() async throws {
            try await runScenario("kill -9 and restart of each container") { simulation in
                let ended = try await simulation.runDeliveries {
                    try await eventually("one is being picked") { simulation.progress.count(.picking) >= 1 }
                    for name in simulation.stack.all {
                        try await simulation.stack.kill9(name)
                        try await simulation.stack.start(name)
                    }
                }
                return ["killed while orders flowed: \(simulation.stack.all.joined(separator: ", "))"]
                    + (try await simulation.expectInvariants(ended, mayMissWholeDeliveries: true))
            }
        }
    }
}
