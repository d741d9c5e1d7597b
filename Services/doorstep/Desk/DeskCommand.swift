import ArgumentParser

/// The operators' pages in a browser.
struct DeskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desk", abstract: "Sign in at the operators' desk, and manage its sessions.",
        discussion: "Uses the token in the file that DOORSTEP_OPERATOR_TOKEN_FILE names.",
        subcommands: [DeskOpen.self, DeskSessions.self, DeskEndSessions.self])
}
