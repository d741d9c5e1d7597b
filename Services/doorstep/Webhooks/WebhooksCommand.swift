import ArgumentParser

/// Where a shop's events are sent, and how that fares.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Have events of deliveries sent to a program of yours, and see how that fares.",
        discussion: """
            Speaks with the token in the file that DOORSTEP_STORE_TOKEN_FILE names, and with the operator's, \
            DOORSTEP_OPERATOR_TOKEN_FILE, where only that is set.
            """,
        subcommands: [
            WebhooksList.self, WebhooksAdd.self, WebhooksShow.self, WebhooksChange.self, WebhooksEnable.self,
            WebhooksDisable.self, WebhooksRemove.self, WebhooksRotate.self, WebhooksLog.self, WebhooksReplay.self,
            WebhooksTrigger.self, WebhooksListen.self,
        ])
}
