import ArgumentParser

/// A shop's webhook endpoints, and their health.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Manage the endpoints for deliveries' events, and check their health.",
        discussion: """
            Uses the token in the file that DOORSTEP_STORE_TOKEN_FILE names, or the operator's, \
            DOORSTEP_OPERATOR_TOKEN_FILE, where only that is set.
            """,
        subcommands: [
            WebhooksList.self, WebhooksAdd.self, WebhooksShow.self, WebhooksChange.self, WebhooksEnable.self,
            WebhooksDisable.self, WebhooksRemove.self, WebhooksRotate.self, WebhooksLog.self, WebhooksReplay.self,
            WebhooksTrigger.self, WebhooksListen.self,
        ])
}
