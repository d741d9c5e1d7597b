import ArgumentParser
import Foundation

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
            try writeOut()
        } catch {
            CommandFailure.exit(error)
        }
    }

    /// Brings what was printed to where it goes, so that a full disk is not taken for success.
    private static func writeOut() throws(CommandFailure) {
        errno = 0
        guard fflush(nil) != 0 else { return }
        throw CommandFailure(.unavailable, "the output could not be written: \(String(cString: strerror(errno)))")
    }
}
