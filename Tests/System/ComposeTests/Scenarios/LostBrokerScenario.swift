import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("The broker's volume is lost")
    struct LostBrokerScenario {
        @Test("The broker's store deleted and built again in the middle of ten deliveries", .timeLimit(.minutes(5)))
        func rebuilt() async throws {
            try await runScenario("the NATS volume deleted and rebuilt") { simulation in
                // Found before: to ask Compose for them takes seconds, in which ten deliveries can be over.
                var readers: [String] = []
                for name in simulation.stack.replicas(of: .dispatch) {
                    readers.append(try await simulation.stack.container(name))
                }
                let ended = try await simulation.runDeliveries { [readers] in
                    // Early enough that others are yet to be delivered once every replica is gone.
                    try await eventually("one is being picked") { simulation.progress.count(.picking) >= 1 }
                    // No consumer reads, so that the broker holds acknowledged messages that are in no outbox any more.
                    try await simulation.stack.docker.docker(["kill", "--signal", "KILL"] + readers)
                    let delivered = simulation.progress.count(.delivered)
                    try await eventually("another is delivered") { simulation.progress.count(.delivered) > delivered }
                    try await simulation.stack.deleteBrokerVolumes()
                    for name in simulation.stack.replicas(of: .dispatch) { try await simulation.stack.start(name) }
                    try await simulation.stack.waitUntilReady()
                    try await simulation.stack.rebuildStreams()
                }
                return [
                    "deleted while it held messages that no consumer had read; rebuilt with doorstep admin rebuild-streams"
                ]
                    + (try await simulation.expectInvariants(ended, mayMissWholeDeliveries: true))
            }
        }
    }
}
