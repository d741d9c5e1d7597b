import ArgumentParser
import CommandOutput
import DoorstepAPI

/// The command line of customers, operators, shops and couriers.
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
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(name: "Customer", subcommands: [Track.self, Open.self, FeedbackCommand.self]),
            CommandGroup(name: "Operators", subcommands: [OpsCommand.self, DeskCommand.self]),
            CommandGroup(
                name: "Shops and couriers",
                subcommands: [OrderCommand.self, WebhooksCommand.self, SourcesCommand.self, CourierCommand.self]),
            CommandGroup(name: "Running a stack", subcommands: [AdminCommand.self, ETACommand.self]),
            CommandGroup(name: "Drawing", subcommands: [Preview.self, DemoCommand.self, StringsCommand.self]),
        ])

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if AdminHandOver.isNeeded(for: arguments) {
            do {
                try AdminHandOver().run(arguments)
            } catch {
                exitReporting(error)
            }
        }
        await runAsProcess(arguments)
    }
}
