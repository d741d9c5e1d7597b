import ArgumentParser

/// How well arrivals are predicted, and what is learned from the past.
struct ETACommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta",
        abstract: "Teach the arrival estimates, and measure them.",
        subcommands: [ETATrain.self, ETAEvaluate.self, ETAInstall.self])
}
