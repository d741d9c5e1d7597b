import DoorstepAPI
import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("Followed on the command line")
    struct CommandLineScenario {
        /// The services that are killed, and when; the broker and Postgres are killed after them.
        private static let plan: [(when: StatusCode, service: ServiceName)] = [
            (.accepted, .dispatch), (.picking, .orders), (.staged, .courierETA), (.pickedUp, .dispatch),
        ]

        @Test(
            "A customer's track and an operator's list tell an order from placed to dismissed, whatever is killed",
            .timeLimit(.minutes(4)))
        func followed() async throws {
            try await Simulation.run([.init(customer: "mette", endings: [.delivered])]) { simulation in
                let stack = simulation.stack
                let lines = try await track("--json", in: stack)
                let sentences = try await track("--plain", in: stack)
                let list = try stack.startCommand(
                    ["ops", "list", "--watch", "--json"], named: "list", token: stack.tokens.operator,
                    as: "DOORSTEP_OPERATOR_TOKEN_FILE")
                try await FollowedOrder.isRead(by: list)
                let ended = try await simulation.runDeliveries {
                    try await FollowedOrder.appears(on: list)
                    try await strike(simulation)
                } beforeHandOver: { _ in
                    try await FollowedOrder.appears(on: list, and: [lines, sentences])
                }
                let order = FollowedOrder(
                    title: "Nordhavn, order A.1000", delivery: try #require(ended.first).delivery.id)
                try await order.expectFollowed(by: lines, sentences, and: list)
                await list.interrupt()
            }
        }

        /// Follows the customer until every card has left the screen.
        private func track(_ form: String, in stack: ProcessStack) async throws -> StackCommand {
            try stack.startCommand(
                ["track", form, "--until-ended", "--device", "terminal\(form)"], named: "track\(form)",
                token: try await stack.tokens.customer("mette"), as: "DOORSTEP_CUSTOMER_TOKEN_FILE")
        }

        private func strike(_ simulation: Simulation) async throws {
            let stack = simulation.stack
            for (status, service) in Self.plan {
                try await eventually("it is \(status)") { simulation.progress.count(status) > 0 }
                await stack.kill9(service)
                try await stack.start(service)
            }
            await stack.kill9Nats()
            try await stack.startNats()
            try await stack.postgres.kill9()
            try await stack.postgres.restart()
        }
    }
}
