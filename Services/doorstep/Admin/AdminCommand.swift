import ArgumentParser

/// What whoever runs a stack does.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Set a stack up, look it over, rebuild its streams.",
        discussion: """
            Reads DATABASE_URL, NATS_URL, NATS_USER and NATS_PASSWORD_FILE, as stack.env has them. Secrets come from \
            files and go into files.
            """,
        subcommands: [
            AdminKeys.self, AdminToken.self, AdminMigrate.self, AdminStreams.self, AdminRebuildStreams.self,
            AdminDoctor.self,
        ])
}
