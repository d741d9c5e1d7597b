import ArgumentParser

/// The operators' pages in a browser.
struct DeskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desk", abstract: "Get to the operators' pages.",
        discussion: "Speaks with the token in the file that DOORSTEP_OPERATOR_TOKEN_FILE names.",
        subcommands: [DeskOpen.self, DeskSessions.self, DeskEndSessions.self])
}
