import ArgumentParser
import CommandOutput
import DoorstepAPI

/// The command line of a stack's administrator; `doorstep admin`, `doorstep demo`, `doorstep eta install` and
/// `doorstep eta train --from-history` replace themselves with it.
///
/// It is an executable of its own because it talks to Postgres and NATS directly, and so needs their C libraries.
@main
struct DoorstepAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doorstep-admin",
        abstract: "Set up a stack, check it, rebuild its streams.",
        discussion: """
            Reads DATABASE_URL, NATS_URL, NATS_USER and NATS_PASSWORD_FILE, as in stack.env. Secrets come from \
            files and go into files. `--version --verbose` lists the versions of the packages that it was built from.
            """,
        version: Version.current,
        subcommands: [
            AdminKeys.self, AdminToken.self, AdminMigrate.self, AdminStreams.self, AdminRebuildStreams.self,
            AdminDoctor.self, AdminCheckOrigins.self, AdminCustomer.self, AdminCourier.self, ETAAdminCommand.self,
            DemoCommand.self,
            BuildVersions.self,
        ])

    static func main() async {
        // `doorstep` passes its arguments on unchanged, and its group of these commands is called admin.
        var arguments = Array(CommandLine.arguments.dropFirst())
        let command = arguments.first == "help" ? 1 : 0
        if arguments.indices.contains(command), arguments[command] == "admin" { arguments.remove(at: command) }
        // The parser's own --version prints the version alone and accepts no further flag.
        if Set(arguments) == ["--version", "--verbose"] { arguments = [BuildVersions.name] }
        await runAsProcess(arguments)
    }
}
