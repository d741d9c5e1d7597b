import ArgumentParser

/// What a courier's phone does.
struct CourierCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courier",
        abstract: "Be a courier.",
        discussion: "Speaks with the token in the file that DOORSTEP_COURIER_TOKEN_FILE names.",
        subcommands: [CourierSimulate.self])
}
