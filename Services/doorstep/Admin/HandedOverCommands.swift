import ArgumentParser

// These commands are listed in `doorstep --help` and run by `doorstep-admin`: `DoorstepCommand.main` hands them over
// before it parses arguments.

/// Lists `doorstep admin`.
struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Set up a stack, check it, rebuild its streams.")
}

/// Lists `doorstep eta install`.
struct ETAInstall: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "install", abstract: "Install a courier-eta model.")
}

/// The stand-in for `doorstep demo`, which `make demo` runs next to a live view.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run the demo's script against a running stack.", shouldDisplay: false)
}
