import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("Two replicas of each service")
    struct ReplicasScenario {
        @Test("Requests and streams go to either, and one may die", .timeLimit(.minutes(4)))
        func sideBySide() async throws {
            try await Simulation.run(replicas: 2) { simulation in
                let ended = try await simulation.runDeliveries {
                    // Each device moves to the other replica now and then, in the middle of its deliveries.
                    for (status, count) in [(StatusCode.picking, 4), (.pickedUp, 3), (.delivered, 1), (.delivered, 4)] {
                        try await eventually("\(count) are \(status)") { simulation.progress.count(status) >= count }
                        for device in simulation.devices { await device.reconnect() }
                    }
                    for service in ServiceName.allCases {
                        await simulation.stack.kill9(ProcessStack.Replica(service: service, number: 2))
                    }
                }
                try await simulation.expectEveryCardEnded(ended)
                for device in simulation.devices { #expect(await device.connections > 2) }
                try await simulation.expectNothingReappears()
            }
        }
    }
}
