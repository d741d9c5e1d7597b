import DoorstepAPI
import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("Followed from containers of their own")
    struct CommandLineScenario {
        @Test(
            "A customer's container and an operator's tell an order from placed to dismissed, whatever is killed",
            .timeLimit(.minutes(8)))
        func followed() async throws {
            let basket = Simulation.Basket(customer: "mette", endings: [.delivered])
            try await runScenario("an order followed from containers", [basket]) { simulation in
                let stack = simulation.stack
                let lines = try track("--json", in: stack)
                let sentences = try track("--plain", in: stack)
                let list = try stack.startCommand("doorstep", ["ops", "list", "--watch", "--json"])
                try await FollowedOrder.isRead(by: list)
                let ended = try await simulation.runDeliveries {
                    try await FollowedOrder.appears(on: list)
                    try await eventually("it is being picked") { simulation.progress.count(.picking) > 0 }
                    for group in stack.faultGroups {
                        for name in group { try await stack.kill9(name) }
                        for name in group { try await stack.start(name) }
                    }
                } beforeHandOver: { _ in
                    try await FollowedOrder.appears(on: list, and: [lines, sentences])
                }
                let order = FollowedOrder(
                    title: "Nordhavn, order A.1000", delivery: try #require(ended.first).delivery.id)
                try await order.expectFollowed(by: lines, sentences, and: list)
                return ["sentences: \(sentences.lines.count), changes of cards: \(lines.lines.count)"]
            }
        }

        /// Follows the customer of the stack's token until every card has left the screen.
        private func track(_ form: String, in stack: ComposeStack) throws -> StackCommand {
            try stack.startCommand("customer", ["track", form, "--until-ended", "--device", "terminal\(form)"])
        }
    }
}
