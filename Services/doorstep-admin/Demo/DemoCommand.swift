import ArgumentParser

/// What `make demo` runs beside a live view.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Play the demo's script against a running stack.", shouldDisplay: false,
        subcommands: [DemoPlay.self])
}
