import ArgumentParser

// These commands are listed in `doorstep --help` and run by `doorstep-admin`: `DoorstepCommand.main` hands them over
// before it parses arguments.

/// Lists `doorstep admin`.
struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Set a stack up, look it over, rebuild its streams.")
}

/// Lists `doorstep eta install`.
struct ETAInstall: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "install", abstract: "Give a model to courier-eta.")
}

/// Names `doorstep demo`, which `make demo` runs beside a live view.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Play the demo's script against a running stack.", shouldDisplay: false)
}
