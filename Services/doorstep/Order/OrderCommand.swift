import ArgumentParser

/// A shop's commands for orders.
struct OrderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order",
        abstract: "Place an order, show one, correct it, report its picking, make a link to it.",
        discussion: "Uses the token in the file that DOORSTEP_STORE_TOKEN_FILE names.",
        subcommands: [
            OrderPlace.self, OrderShow.self, OrderCorrect.self, OrderSetStatus.self, OrderItem.self, OrderLink.self,
        ])
}
