import ArgumentParser

/// The commands behind `make demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run the demo's script against a running stack.", shouldDisplay: false,
        subcommands: [DemoPlay.self])
}
