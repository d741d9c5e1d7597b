import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("Postgres restarts")
    struct RestartedDatabaseScenario {
        @Test("Postgres restarted twice under load", .timeLimit(.minutes(5)))
        func underLoad() async throws {
            try await runScenario("Postgres restarted under load") { simulation in
                let ended = try await simulation.runDeliveries {
                    for count in [2, 5] {
                        try await eventually("\(count) are picked up") { simulation.progress.count(.pickedUp) >= count }
                        try await simulation.stack.restart("postgres")
                    }
                }
                return ["restarted when two and when five were on the way"]
                    + (try await simulation.expectInvariants(ended))
            }
        }
    }
}
