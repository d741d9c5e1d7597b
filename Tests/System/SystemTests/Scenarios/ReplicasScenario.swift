import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("Two replicas of each service")
    struct ReplicasScenario {
        /// When each device moves to the other replica, in the middle of its deliveries.
        private static let moves: [(status: StatusCode, count: Int)] = [
            (.picking, 4), (.pickedUp, 3), (.delivered, 1), (.delivered, 4),
        ]

        @Test("Requests and streams go to either, and one may die", .timeLimit(.minutes(4)))
        func sideBySide() async throws {
            try await Simulation.run(replicas: 2) { simulation in
                let ended = try await simulation.runDeliveries {
                    for device in simulation.devices { try await device.connects(after: 0) }
                    for (status, count) in Self.moves {
                        try await eventually("\(count) are \(status)") { simulation.progress.count(status) >= count }
                        for device in simulation.devices {
                            let connections = await device.connections
                            await device.reconnect()
                            try await device.connects(after: connections)
                        }
                    }
                    for service in ServiceName.allCases {
                        await simulation.stack.kill9(ProcessStack.Replica(service: service, number: 2))
                    }
                }
                try await simulation.expectEveryCardEnded(ended)
                for device in simulation.devices { #expect(await device.connections > Self.moves.count) }
                try await simulation.expectNothingReappears()
            }
        }
    }
}

extension SimulatedDevice {
    /// Waits until the device has opened more streams than these.
    fileprivate nonisolated func connects(after connections: Int) async throws {
        try await eventually("\(id) has connected \(connections + 1) times") {
            await self.connections > connections
        }
    }
}
