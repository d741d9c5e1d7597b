import ArgumentParser

/// The accuracy of the arrival estimates, and their training.
struct ETACommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta",
        abstract: "Train the arrival estimates, and measure them.",
        subcommands: [ETATrain.self, ETAEvaluate.self, ETAInstall.self])
}
