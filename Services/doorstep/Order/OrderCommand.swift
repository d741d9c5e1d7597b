import ArgumentParser

/// What a shop does with orders.
struct OrderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order",
        abstract: "Place an order, look at one, report its picking, text a link to it.",
        discussion: "Speaks with the token in the file that DOORSTEP_STORE_TOKEN_FILE names.",
        subcommands: [OrderPlace.self, OrderShow.self, OrderSetStatus.self, OrderItem.self, OrderLink.self])
}
