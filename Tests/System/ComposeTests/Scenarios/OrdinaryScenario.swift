import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("An ordinary evening")
    struct OrdinaryScenario {
        @Test("From nothing to the first card, and ten deliveries end correctly", .timeLimit(.minutes(5)))
        func tenDeliveries() async throws {
            let began = ContinuousClock.now
            try await runScenario("an ordinary evening") { simulation in
                let ended = try await simulation.runDeliveries {
                    try await eventually("a first card is shown", explain: { await simulation.screenLog }) {
                        for device in simulation.devices where await !device.screen.cards.isEmpty { return true }
                        return false
                    }
                    let taken = ContinuousClock.now - began
                    print("    first card \(Int(taken / .seconds(1))) s after docker compose up")
                }
                return try await simulation.expectInvariants(ended)
            }
        }
    }
}
