import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Sends a made-up event, to try a receiver with.
struct WebhooksTrigger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger", abstract: "Send a synthetic event to test a receiver; it is marked as a test.",
        discussion: """
            By default it is sent to every endpoint that subscribes to such events, listeners too; with a store's \
            token to those of that store alone. With a token of all stores the event's store is test-store, or the \
            endpoint's.
            """)

    @Argument(help: "The event, such as delivery.en_route.", transform: WebhookEventType.argument)
    var event: WebhookEventType
    @Option(help: "The id of the only endpoint to receive it.")
    var endpoint: EndpointID?
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let caller = PartnersCaller()
        let data = try await caller.ask { client in
            try await CommandFailure.naming("doorstep webhooks log \(endpoint?.rawValue ?? "ENDPOINT")") {
                try await client.exchange(
                    .POST, "/v1/webhook-events", body: TriggerBody(type: event, endpoint: endpoint)
                ).0
            }
        }
        try await output.show(data, of: .partners) { (body: QueuedBody) in
            if body.queued == 0, let note = caller.viewNote { CommandFailure.complain(note) }
            return body.queued == 0 ? "No endpoint subscribes to \(event)" : body.text
        }
    }
}
