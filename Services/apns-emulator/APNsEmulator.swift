import ArgumentParser

/// Stands in for Apple's push service and the phones behind it.
@main
struct APNsEmulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-emulator",
        abstract: "Stands in for Apple's push service and the phones behind it.",
        discussion: "For development and tests: nothing that it accepts reaches a real phone.",
        subcommands: [Initialize.self, Run.self])
}
