import ArgumentParser

/// The command line: follow deliveries as a customer, and see what a phone would show.
///
/// Each noun has a folder and each verb a file; a new one is added to its group here.
@main
struct DoorstepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doorstep",
        abstract: "Follow grocery deliveries to the door.",
        discussion: """
            Exit codes: 0 done, 2 usage, 3 not found, 4 not allowed, 5 conflict, 6 unavailable, 130 interrupted.
            """,
        groupedSubcommands: [
            CommandGroup(name: "Customer", subcommands: [Track.self, Open.self]),
            CommandGroup(name: "Operators", subcommands: [OpsCommand.self]),
            CommandGroup(name: "Shops and couriers", subcommands: [OrderCommand.self, CourierCommand.self]),
            CommandGroup(name: "Running a stack", subcommands: [AdminCommand.self, ETACommand.self]),
            CommandGroup(name: "Drawing", subcommands: [Preview.self, DemoCommand.self]),
        ])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            CommandFailure.exit(error)
        }
    }
}
