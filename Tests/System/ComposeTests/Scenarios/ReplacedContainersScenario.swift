import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("A service is replaced")
    struct ReplacedContainersScenario {
        @Test("Each service replaced by a new container while orders flow", .timeLimit(.minutes(6)))
        func eachInTurn() async throws {
            try await runScenario("each service replaced by a new container") { simulation in
                let services = ServiceName.allCases.flatMap(simulation.stack.replicas(of:))
                let before = try await ids(of: services, in: simulation)
                let ended = try await simulation.runDeliveries {
                    try await eventually("one is being picked") { simulation.progress.count(.picking) >= 1 }
                    for name in services { try await simulation.stack.replace(name) }
                }
                let after = try await ids(of: services, in: simulation)
                #expect(Set(before).isDisjoint(with: after), "each is another container")
                return ["replaced while orders flowed: \(services.joined(separator: ", "))"]
                    + (try await simulation.expectInvariants(ended))
            }
        }

        private func ids(of services: [String], in simulation: Simulation) async throws -> [String] {
            var ids: [String] = []
            for name in services { ids.append(try await simulation.stack.container(name)) }
            return ids
        }
    }
}
