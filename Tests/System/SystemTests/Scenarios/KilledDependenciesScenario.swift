import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("A server is killed")
    struct KilledDependenciesScenario {
        @Test("The broker killed in the middle of ten deliveries loses nothing", .timeLimit(.minutes(4)))
        func broker() async throws {
            try await Simulation.run { simulation in
                let ended = try await simulation.runDeliveries {
                    for count in [2, 6] {
                        try await eventually("\(count) are picked up") { simulation.progress.count(.pickedUp) >= count }
                        await simulation.stack.kill9Nats()
                        // Shops and couriers continue meanwhile: their changes wait in the outboxes.
                        try await eventually("\(count) have ended") {
                            simulation.progress.count(.delivered) >= count - 1
                        }
                        try await simulation.stack.startNats()
                    }
                }
                try await simulation.expectEveryCardEnded(ended, mayMissWholeDeliveries: true)
                try await simulation.expectNothingReappears()
            }
        }

        @Test("The database killed in the middle of ten deliveries loses nothing", .timeLimit(.minutes(4)))
        func database() async throws {
            try await Simulation.run { simulation in
                let ended = try await simulation.runDeliveries {
                    for count in [3, 6] {
                        try await eventually("\(count) are picked up") { simulation.progress.count(.pickedUp) >= count }
                        try await simulation.stack.postgres.kill9()
                        try await simulation.stack.postgres.restart()
                    }
                }
                try await simulation.expectEveryCardEnded(ended)
                try await simulation.expectNothingReappears()
            }
        }
    }
}
