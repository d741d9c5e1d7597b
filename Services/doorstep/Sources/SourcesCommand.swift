import ArgumentParser

/// The shop's accounts at delivery providers, and their receipts.
struct SourcesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "Manage delivery providers' accounts, and list their events.",
        discussion: """
            A source is an account at a provider whose webhooks partners accepts. Uses the token in the file that \
            DOORSTEP_STORE_TOKEN_FILE names, or the operator's, DOORSTEP_OPERATOR_TOKEN_FILE, where only that is \
            set.
            """,
        subcommands: [
            SourcesList.self, SourcesAdd.self, SourcesShow.self, SourcesRemove.self, SourcesRotate.self,
            SourcesRemoveSecret.self, SourcesReceived.self, SourcesEvent.self, SourcesDismiss.self,
        ])
}
