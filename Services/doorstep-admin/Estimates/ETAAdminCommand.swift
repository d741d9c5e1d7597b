import ArgumentParser

/// What teaching the arrival estimates needs the database for; the rest of `eta` is in `doorstep`.
struct ETAAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta",
        abstract: "Fit a model on the services' history, and install one.",
        subcommands: [ETATrainFromHistory.self, ETAInstall.self])
}
