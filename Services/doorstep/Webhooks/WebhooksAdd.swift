import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// Adds an endpoint for events.
struct WebhooksAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an endpoint for events; print its signing secret.",
        discussion: "The secret is printed once. doorstep webhooks rotate generates another.")

    @Argument(help: "The endpoint's URL: https, on a public host.")
    var url: String
    @OptionGroup var chosen: ChosenEvents
    @Option(help: "The store whose deliveries' events are sent; by default every store that you see.")
    var store: StoreID?
    @Option(help: "The endpoint's display name.")
    var description: String?
    @Option(help: "The signature: v1 with a shared secret, v1a with a key pair whose public half is printed.")
    var signature: NewEndpointBody.SignatureVersion?
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let body = NewEndpointBody(
            url: url, events: chosen.given, store: store, description: description, signature: signature)
        try await output.show(
            .POST, "/v1/webhooks", body: body, shownBy: "doorstep webhooks list", text: EndpointBody.text)
    }
}

/// The events that a command is about.
struct ChosenEvents: ParsableArguments {
    @Option(
        name: .customLong("event"), help: "An event type, such as delivery.en_route; repeatable. All types by default.",
        transform: WebhookEventType.argument)
    var events: [WebhookEventType] = []

    /// The given events; nil without any.
    var given: [WebhookEventType]? { events.isEmpty ? nil : events }
}
