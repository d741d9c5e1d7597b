import ArgumentParser

/// The commands of `eta` that need the database; the others are in `doorstep`.
struct ETAAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta",
        abstract: "Fit a model on the services' history, and install one.",
        subcommands: [ETATrainFromHistory.self, ETAInstall.self])
}
